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
  for (let k = 0; k < 4; k++)
    for (let axis = 0; axis < 3; axis++) points[k * 3 + axis] = positions.at(corners[quad * 4 + k] * 3 + axis);
  const edge = quad * 5;
  const edgeAxis = edges[edge + 3];
  for (let axis = 0; axis < 3; axis++) {
    points[12 + axis] = min[axis] + edges[edge + axis] * stepMm;
    points[15 + axis] = min[axis] + (edges[edge + axis] + (edgeAxis === axis ? 1 : 0)) * stepMm;
  }
  const pushTriangle = (a: number, b: number, c: number): void => {
    triangles.push(a);
    triangles.push(b);
    triangles.push(c);
  };
  const vertexAt = (k: number): number => corners[quad * 4 + (k & 3)];
  const first = squaredLength(0, 2) <= squaredLength(1, 3) ? 0 : 1;
  for (let k = first, count = 0; count < 2; k = 1 - k, count++) {
    if (!isDiagonalInEnvelope(k)) continue;
    pushTriangle(vertexAt(k), vertexAt(k + 1), vertexAt(k + 2));
    pushTriangle(vertexAt(k), vertexAt(k + 2), vertexAt(k + 3));
    return;
  }
  const center = positions.length / 3;
  for (let axis = 0; axis < 3; axis++)
    positions.push(min[axis] + (edges[edge + axis] + (edgeAxis === axis ? edges[edge + 4] : 0)) * stepMm);
  for (let k = 0; k < 4; k++) pushTriangle(vertexAt(k), vertexAt(k + 1), center);
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
  for (let other = k + 1; other <= k + 3; other += 2) {
    const end = orient3dSign(points, k, k + 2, 5, other & 3);
    const start = orient3dSign(points, k, k + 2, other & 3, 4);
    if (end * start > 0 && beside * end >= 0) return true;
  }
  return false;
}
