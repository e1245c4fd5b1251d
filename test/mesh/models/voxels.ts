import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { meshOf } from './mesh-of.js';

/** Creates the surface of a set of unit cells, with welded vertices. */
export function makeVoxels(cells: readonly number[][]): IndexedMesh {
  const isFilled = new Set(cells.map(String));
  const vertices = new Map<string, number>();
  const positions: number[][] = [];
  const vertexAt = (point: readonly number[]) => {
    const existing = vertices.get(String(point));
    if (existing !== undefined) return existing;
    vertices.set(String(point), positions.length);
    return positions.push([...point]) - 1;
  };
  const triangles: number[][] = [];
  for (const cell of cells) {
    for (const axis of [0, 1, 2]) {
      for (const side of [0, 1]) {
        if (isFilled.has(String(cell.map((part, k) => part + (k === axis ? side * 2 - 1 : 0))))) continue;
        const corner = (u: number, v: number) =>
          vertexAt(cell.map((part, k) => part + (k === axis ? side : k === (axis + 1) % 3 ? u : v)));
        const [a, b, c, d] = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
        triangles.push(
          ...(side === 1
            ? [
                [a, b, c],
                [a, c, d],
              ]
            : [
                [a, c, b],
                [a, d, c],
              ]),
        );
      }
    }
  }
  return meshOf(positions, triangles);
}
