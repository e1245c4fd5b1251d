import type { MeshGeometry } from '../core/mesh.js';
import { distance } from '../geometry/distance.js';
import { doubleAreaNormal } from '../geometry/double-area-normal.js';
import { longestEdgeLength } from '../geometry/sample-triangle.js';

/** Maximum number of rows of points in a triangle, and of points in a row. */
const MAX_DIVISIONS = 64;

/**
 * Returns whether `test` returns true for one of the points of a triangle that are at most about `spacingMm` apart. Their
 * number is proportional to the area of a large triangle, and to the length of a narrow one: they are in rows parallel
 * to the longest side.
 */
export function someSpacedPoint(
  { positions, triangles }: MeshGeometry,
  triangle: number,
  spacingMm: number,
  test: (point: Float64Array) => boolean,
): boolean {
  const corners = [0, 1, 2].map((k) => triangles[triangle * 3 + k]);
  const lengths = [0, 1, 2].map((k) => distance(positions, corners[k], corners[(k + 1) % 3]));
  const longest = lengths.indexOf(Math.max(...lengths));
  const [a, b, c] = [0, 1, 2].map((k) => corners[(longest + k) % 3] * 3);
  const lengthMm = lengths[longest];
  const heightMm = lengthMm > 0 ? Math.hypot(...doubleAreaNormal(positions, triangles, triangle)) / lengthMm : 0;
  const point = new Float64Array(3);
  const rowCount = countDivisions(heightMm, spacingMm);
  for (let row = 0; row < rowCount; row++) {
    // A third from the base: the centroid if there is one row of one point.
    const t = (row + 1 / 3) / rowCount;
    const pointCount = countDivisions(lengthMm * (1 - t), spacingMm);
    for (let i = 0; i < pointCount; i++) {
      const s = ((i + 0.5) / pointCount) * (1 - t);
      for (let k = 0; k < 3; k++)
        point[k] = positions[a + k] * (1 - s - t) + positions[b + k] * s + positions[c + k] * t;
      if (test(point)) return true;
    }
  }
  return false;
}

/** The mean length of two or more rows, as a fraction of the longest side, at most. */
const MEAN_ROW_FRACTION = 0.6;

/** Returns the number of points that `someSpacedPoint` tests in all triangles, unless one ends its search. An upper estimate. */
export function countSpacedPoints({ positions, triangles }: MeshGeometry, spacingMm: number): number {
  let count = 0;
  for (let triangle = 0; triangle < triangles.length / 3; triangle++) {
    const lengthMm = longestEdgeLength({ positions, triangles }, triangle);
    const areaMm2 = Math.hypot(...doubleAreaNormal(positions, triangles, triangle));
    const rowCount = countDivisions(lengthMm > 0 ? areaMm2 / lengthMm : 0, spacingMm);
    // The rows become shorter toward the corner, unless all of them have the maximum.
    const isTapered = rowCount > 1 && lengthMm <= MAX_DIVISIONS * spacingMm;
    const pointCount = countDivisions(lengthMm, spacingMm);
    count += isTapered ? Math.ceil(rowCount * (pointCount * MEAN_ROW_FRACTION + 1)) : rowCount * pointCount;
  }
  return count;
}

function countDivisions(lengthMm: number, spacingMm: number): number {
  return Math.min(MAX_DIVISIONS, Math.max(1, Math.ceil(lengthMm / spacingMm)));
}
