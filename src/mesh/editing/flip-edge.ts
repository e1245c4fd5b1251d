import { cross, dot } from '../core/vec3.js';
import type { EditableMesh } from './editable-mesh.js';

/**
 * Flips an edge to the other diagonal of its two triangles, if the number of defects decreases. Returns whether it was
 * flipped. The repair of degenerate triangles and `ConstrainedDelaunay` flip without undo, by criteria of their own:
 * an edit with undo takes a hundred times as long.
 *
 * @param a start of the edge in the winding of `triangle`
 * @param b end of the edge
 * @param maxGapMm largest distance between the two diagonals: the surface moves by at most this distance
 */
export function tryFlipEdge(surface: EditableMesh, triangle: number, a: number, b: number, maxGapMm: number): boolean {
  const other = surface.trianglesAtEdge(a, b).find((each) => each !== triangle);
  if (other === undefined) return false;
  const [c, d] = [triangle, other].map((each) => [...surface.cornersOf(each)].find((v) => v !== a && v !== b) ?? a);
  if (
    c === d ||
    surface.trianglesAtEdge(c, d).length > 0 ||
    distanceBetweenLines(surface.positions, a, b, c, d) > maxGapMm
  )
    return false;
  return surface.tryEdit(surface.createEditRegion([triangle, other]), () => {
    surface.setCorners(triangle, [a, d, c]);
    surface.setCorners(other, [d, b, c]);
  });
}

/** Computes the distance between the lines a b and c d. Returns 0 if they are parallel. */
function distanceBetweenLines(p: Float64Array, a: number, b: number, c: number, d: number): number {
  const [u, v, w] = [
    [a, b],
    [c, d],
    [a, c],
  ].map(([from, to]) => [0, 1, 2].map((k) => p[to * 3 + k] - p[from * 3 + k]));
  const normal = cross(u, v);
  const length = Math.hypot(...normal);
  return length > 0 ? Math.abs(dot(normal, w)) / length : 0;
}
