import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { createRandom } from './random.js';

/** Returns the mesh rotated by `angle` radians about an axis that is not a coordinate axis. */
export function rotated(mesh: IndexedMesh, angle = 0.7): IndexedMesh {
  const [x, y, z] = [1 / 3, 2 / 3, 2 / 3]; // a unit vector
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  const rows = [
    [c + x * x * (1 - c), x * y * (1 - c) - z * s, x * z * (1 - c) + y * s],
    [y * x * (1 - c) + z * s, c + y * y * (1 - c), y * z * (1 - c) - x * s],
    [z * x * (1 - c) - y * s, z * y * (1 - c) + x * s, c + z * z * (1 - c)],
  ];
  const positions = mesh.positions.map((_, i) => {
    const [a = 0, b = 0, d = 0] = mesh.positions.subarray(i - (i % 3), i - (i % 3) + 3);
    const [p = 0, q = 0, r = 0] = rows[i % 3] ?? [];
    return a * p + b * q + d * r;
  });
  return { ...mesh, positions };
}

/**
 * Returns the same surface with shuffled vertices and triangles, and with the corners of each triangle rotated at
 * random.
 */
export function shuffled(mesh: IndexedMesh, seed = 7): IndexedMesh {
  const random = createRandom(seed);
  const vertexOrder = shuffle(mesh.positions.length / 3, random); // new vertex → old vertex
  const newVertexOf = new Uint32Array(vertexOrder.length); // old vertex → new vertex
  vertexOrder.forEach((old, vertex) => {
    newVertexOf[old] = vertex;
  });
  const positions = vertexOrder.flatMap((old) => [...mesh.positions.subarray(old * 3, old * 3 + 3)]);
  const triangles = shuffle(mesh.triangles.length / 3, random).flatMap((triangle) => {
    const first = Math.floor(random() * 3);
    return [0, 1, 2].map((k) => newVertexOf[mesh.triangles[triangle * 3 + ((first + k) % 3)] ?? 0] ?? 0);
  });
  return { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles) };
}

/** Returns a random permutation of 0 … count - 1 (Fisher-Yates). */
function shuffle(count: number, random: () => number): number[] {
  const order = Array.from({ length: count }, (_, i) => i);
  for (let i = count - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [order[i], order[j]] = [order[j] ?? 0, order[i] ?? 0];
  }
  return order;
}
