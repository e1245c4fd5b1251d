import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { joined, meshOf, turnedOver, without } from './mesh-of.js';
import { createRandom } from './random.js';

/** Ways to spoil a sound mesh. None changes what a repair should make of it, but for holes in curved parts. */
export const DAMAGES = {
  'a third of the triangles turned over': (mesh) => turnedOver(mesh, ...some(mesh, 3)),
  'everything inside out': (mesh) => turnedOver(mesh),
  'a hundredth of the triangles missing': (mesh) => without(mesh, ...some(mesh, 100)),
  'cracks along every fifth triangle': (mesh) => cracked(mesh, 5),
  'duplicates, one of them several times': (mesh) => ({
    ...mesh,
    triangles: Uint32Array.from([
      ...mesh.triangles,
      ...mesh.triangles.subarray(0, 30),
      ...mesh.triangles.subarray(0, 3),
    ]),
  }),
  'stray triangles round about': (mesh) => joined(mesh, stray([90, 0, 0]), stray([0, 95, 3])),
} satisfies Record<string, (mesh: IndexedMesh) => IndexedMesh>;

/** About one triangle of `each`, far enough apart not to be neighbours in the file. */
function some(mesh: IndexedMesh, each: number): number[] {
  const random = createRandom(each);
  const chosen: number[] = [];
  for (
    let offset = Math.floor(random() * each);
    offset < mesh.triangles.length / 3;
    offset += 1 + Math.floor(random() * 2 * each)
  ) {
    chosen.push(offset);
  }
  return chosen;
}

/** Corners of some triangles given vertices of their own, a ten-thousandth of a millimetre off. */
function cracked(mesh: IndexedMesh, each: number): IndexedMesh {
  const random = createRandom(each);
  const positions = [...mesh.positions];
  const triangles = mesh.triangles.slice();
  for (const triangle of some(mesh, each)) {
    const corner = triangle * 3;
    const vertex = triangles[corner] ?? 0;
    triangles[corner] = positions.length / 3;
    for (let k = 0; k < 3; k++) positions.push((mesh.positions[vertex * 3 + k] ?? 0) + (random() - 0.5) * 2e-4);
  }
  return { positions: Float64Array.from(positions), triangles };
}

function stray([x = 0, y = 0, z = 0]: readonly number[]): IndexedMesh {
  return meshOf(
    [
      [x, y, z],
      [x + 1, y, z],
      [x, y + 1, z],
    ],
    [[0, 1, 2]],
  );
}
