import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { meshOf } from './mesh-of.js';

/** Creates a cylinder along z with the radius 1, between z = 0 and `length`, of `rows` rows with `segments` squares each. */
export function makeRod(segments: number, rows: number, length: number): IndexedMesh {
  const points: number[][] = [];
  const triangles: number[][] = [];
  for (let row = 0; row <= rows; row++) {
    for (let i = 0; i < segments; i++) {
      const angle = (2 * Math.PI * i) / segments;
      points.push([Math.cos(angle), Math.sin(angle), (length * row) / rows]);
      if (row === rows) continue;
      const [a, b] = [row * segments + i, row * segments + ((i + 1) % segments)];
      triangles.push([a, b, b + segments], [a, b + segments, a + segments]);
    }
  }
  const top = rows * segments;
  for (let i = 1; i < segments - 1; i++) triangles.push([0, i + 1, i], [top, top + i, top + i + 1]);
  return meshOf(points, triangles);
}
