import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { joined, meshOf, turnedOver, without } from './mesh-of.js';
import { createRandom } from './random.js';

/** Kinds of damage to a solid. A repair restores the solid, except for holes in curved regions. */
export const DAMAGES = {
  'a third of the triangles inverted': (mesh) => turnedOver(mesh, ...selectTriangles(mesh, 3)),
  'all triangles inverted': (mesh) => turnedOver(mesh),
  'a hundredth of the triangles missing': (mesh) => without(mesh, ...selectTriangles(mesh, 100)),
  'cracks along every fifth triangle': (mesh) => crack(mesh, 5),
  'duplicate triangles, some several times': (mesh) => ({
    ...mesh,
    triangles: Uint32Array.from([
      ...mesh.triangles,
      ...mesh.triangles.subarray(0, 30),
      ...mesh.triangles.subarray(0, 3),
    ]),
  }),
  'stray triangles outside': (mesh) => joined(mesh, createStray([90, 0, 0]), createStray([0, 95, 3])),
} satisfies Record<string, (mesh: IndexedMesh) => IndexedMesh>;

/** Selects about one of every `interval` triangles at random, in ascending order. */
function selectTriangles(mesh: IndexedMesh, interval: number): number[] {
  const random = createRandom(interval);
  const selected: number[] = [];
  for (
    let triangle = Math.floor(random() * interval);
    triangle < mesh.triangles.length / 3;
    triangle += 1 + Math.floor(random() * 2 * interval)
  ) {
    selected.push(triangle);
  }
  return selected;
}

/** Gives one corner of some triangles a vertex of its own, displaced by up to 0.1 µm. */
function crack(mesh: IndexedMesh, interval: number): IndexedMesh {
  const random = createRandom(interval);
  const positions = [...mesh.positions];
  const triangles = mesh.triangles.slice();
  for (const triangle of selectTriangles(mesh, interval)) {
    const corner = triangle * 3;
    const vertex = triangles[corner] ?? 0;
    triangles[corner] = positions.length / 3;
    for (let k = 0; k < 3; k++) positions.push((mesh.positions[vertex * 3 + k] ?? 0) + (random() - 0.5) * 2e-4);
  }
  return { positions: Float64Array.from(positions), triangles };
}

function createStray([x = 0, y = 0, z = 0]: readonly number[]): IndexedMesh {
  return meshOf(
    [
      [x, y, z],
      [x + 1, y, z],
      [x, y + 1, z],
    ],
    [[0, 1, 2]],
  );
}
