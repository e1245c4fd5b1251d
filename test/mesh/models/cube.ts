import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { meshOf } from './mesh-of.js';

/**
 * Creates a cube of 2 mm centered at the origin, with 8 vertices and 12 triangles that face outward. Triangles 0 and 1
 * are its bottom, 2 and 3 its top.
 */
export function makeCube(): IndexedMesh {
  return meshOf(
    [
      [-1, -1, -1],
      [1, -1, -1],
      [1, 1, -1],
      [-1, 1, -1],
      [-1, -1, 1],
      [1, -1, 1],
      [1, 1, 1],
      [-1, 1, 1],
    ],
    [
      [0, 2, 1],
      [0, 3, 2],
      [4, 5, 6],
      [4, 6, 7],
      [0, 1, 5],
      [0, 5, 4],
      [1, 2, 6],
      [1, 6, 5],
      [2, 3, 7],
      [2, 7, 6],
      [3, 0, 4],
      [3, 4, 7],
    ],
  );
}

/** Creates a box from its lowest and its highest corner, with the triangles of `makeCube`. */
export function makeBoxBetween(min: readonly number[], max: readonly number[]): IndexedMesh {
  const cube = makeCube();
  const positions = cube.positions.map((value, i) => (value < 0 ? (min[i % 3] ?? 0) : (max[i % 3] ?? 0)));
  return { ...cube, positions };
}
