import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { joined, meshOf } from './mesh-of.js';

const LENGTH = 250;
const WIDTH = 0.5;

/**
 * Creates `count`² thin rods of 14 triangles along the diagonal of the axes, side by side. They do not intersect, but the
 * boxes of almost all triangles touch each other. The rods have a ring of vertices in the middle.
 */
export function makeDiagonalRods(count: number): IndexedMesh {
  const indices = Array.from({ length: count }, (_, i) => i);
  return joined(...indices.flatMap((i) => indices.map((j) => makeRod(i, j))));
}

/** Creates a rod at (i, j) of a square lattice in the plane perpendicular to the diagonal. */
function makeRod(i: number, j: number): IndexedMesh {
  const toPoint = ([u, v, t]: readonly [number, number, number]): number[] => [
    t / Math.sqrt(3) + u / Math.sqrt(2) + v / Math.sqrt(6),
    t / Math.sqrt(3) - u / Math.sqrt(2) + v / Math.sqrt(6),
    t / Math.sqrt(3) - (2 * v) / Math.sqrt(6),
  ];
  const rings = [0, LENGTH / 2, LENGTH].flatMap((t) => [
    toPoint([i, j, t]),
    toPoint([i + WIDTH, j, t]),
    toPoint([i, j + WIDTH, t]),
  ]);
  const sides = [0, 3].flatMap((ring) =>
    [0, 1, 2].flatMap((k) => {
      const [a, b] = [ring + k, ring + ((k + 1) % 3)];
      return [
        [a, b, b + 3],
        [a, b + 3, a + 3],
      ];
    }),
  );
  return meshOf(rings, [...sides, [0, 2, 1], [6, 7, 8]]);
}
