import type { GrowableFloat64Array } from '../core/growable-float64-array.js';
import { orient3dSign } from '../geometry/predicates.js';
import type { Grid } from '../spatial/grid.js';
import type { Quads } from './find-quads.js';

/** x, y, z of the corners of the quadrilateral, then of both ends of its edge */
const points = new Float64Array(18);

/**
 * Triangulates a quadrilateral within its envelope, the four tetrahedra of its edge and two neighboring vertices (Ju &
 * Udeshi 2006). The envelopes of different edges share only their boundaries. Two triangles suffice if their common
 * side is in the envelope; otherwise, a vertex on the edge is added to `positions`, and four triangles.
 */
export function triangulateQuad(
  { corners, edges }: Quads,
  quad: number,
  { min, stepMm }: Grid,
  positions: GrowableFloat64Array,
  triangles: GrowableFloat64Array,
): void {
  const vertices = corners.subarray(quad * 4, quad * 4 + 4);
  const edge = edges.subarray(quad * 5, quad * 5 + 5);
  const all = positions.values();
  for (let k = 0; k < 4; k++) for (let axis = 0; axis < 3; axis++) points[k * 3 + axis] = all[vertices[k] * 3 + axis];
  for (let axis = 0; axis < 3; axis++) {
    points[12 + axis] = min[axis] + edge[axis] * stepMm;
    points[15 + axis] = min[axis] + (edge[axis] + (edge[3] === axis ? 1 : 0)) * stepMm;
  }
  const first = squaredLength(0, 2) <= squaredLength(1, 3) ? 0 : 1;
  for (const k of [first, 1 - first]) {
    if (!isDiagonalInEnvelope(k)) continue;
    const [a, b, c, d] = [vertices[k], vertices[k + 1], vertices[k + 2], vertices[(k + 3) % 4]];
    for (const vertex of [a, b, c, a, c, d]) triangles.push(vertex);
    return;
  }
  const center = positions.length / 3;
  for (let axis = 0; axis < 3; axis++)
    positions.push(min[axis] + (edge[axis] + (edge[3] === axis ? edge[4] : 0)) * stepMm);
  for (let k = 0; k < 4; k++) for (const vertex of [vertices[k], vertices[(k + 1) % 4], center]) triangles.push(vertex);
}

function squaredLength(a: number, b: number): number {
  let sum = 0;
  for (let axis = 0; axis < 3; axis++) sum += (points[a * 3 + axis] - points[b * 3 + axis]) ** 2;
  return sum;
}

/**
 * Returns whether the diagonal from corner `k` to the opposite one crosses the edge, or the triangle of the edge and one
 * of the other corners. Exact.
 */
function isDiagonalInEnvelope(k: number): boolean {
  const beside = orient3dSign(points, k, k + 2, 4, 5);
  for (const other of [k + 1, (k + 3) % 4]) {
    const end = orient3dSign(points, k, k + 2, 5, other);
    const start = orient3dSign(points, k, k + 2, other, 4);
    if (end * start > 0 && beside * end >= 0) return true;
  }
  return false;
}
