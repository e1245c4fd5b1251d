import type { MeshGeometry } from '../core/mesh.js';

/**
 * Writes the point of a triangle that is closest to x, y, z to `closest`, and returns the squared distance.
 *
 * Classifies the point by the Voronoi region of the triangle that it projects to: a corner, an edge or the interior
 * (C. Ericson, Real-Time Collision Detection, 2005, section 5.1.5).
 *
 * @param p positions
 * @param a offset of the first corner's x in `p`, not a vertex index; likewise `b` and `c`
 */
export function closestPointOnTriangle(
  p: Float64Array,
  a: number,
  b: number,
  c: number,
  x: number,
  y: number,
  z: number,
  closest: Float64Array,
): number {
  const abx = p[b] - p[a];
  const aby = p[b + 1] - p[a + 1];
  const abz = p[b + 2] - p[a + 2];
  const acx = p[c] - p[a];
  const acy = p[c + 1] - p[a + 1];
  const acz = p[c + 2] - p[a + 2];
  const apx = x - p[a];
  const apy = y - p[a + 1];
  const apz = z - p[a + 2];
  const d1 = abx * apx + aby * apy + abz * apz;
  const d2 = acx * apx + acy * apy + acz * apz;
  const d3 = d1 - (abx * abx + aby * aby + abz * abz);
  const d4 = d2 - (abx * acx + aby * acy + abz * acz);
  const d5 = d1 - (abx * acx + aby * acy + abz * acz);
  const d6 = d2 - (acx * acx + acy * acy + acz * acz);
  const va = d3 * d6 - d5 * d4;
  const vb = d5 * d2 - d1 * d6;
  const vc = d1 * d4 - d3 * d2;
  // Barycentric coordinates of the closest point: the weights of b and c.
  let v = 0;
  let w = 0;
  if (d1 <= 0 && d2 <= 0) v = 0;
  else if (d3 >= 0 && d4 <= d3) v = 1;
  else if (vc <= 0 && d1 >= 0 && d3 <= 0 && d1 > d3) v = d1 / (d1 - d3);
  else if (d6 >= 0 && d5 <= d6) w = 1;
  else if (vb <= 0 && d2 >= 0 && d6 <= 0 && d2 > d6) w = d2 / (d2 - d6);
  else if (va <= 0 && d4 >= d3 && d5 >= d6 && d4 - d3 + (d5 - d6) > 0) {
    w = (d4 - d3) / (d4 - d3 + (d5 - d6));
    v = 1 - w;
  } else {
    v = vb / (va + vb + vc);
    w = vc / (va + vb + vc);
  }
  closest[0] = p[a] + v * abx + w * acx;
  closest[1] = p[a + 1] + v * aby + w * acy;
  closest[2] = p[a + 2] + v * abz + w * acz;
  return (x - closest[0]) ** 2 + (y - closest[1]) ** 2 + (z - closest[2]) ** 2;
}

/**
 * Computes the squared distance of a point from a triangle.
 *
 * Solves the normal equations for the projection of the point onto the plane. If the projection lies outside, the
 * closest point is on one of the sides that face the point. Not `closestPointOnTriangle`, which differs in the last bits
 * of every second result: reductions and reported distances would change.
 *
 * @param offset index of the triangle's first corner in `triangles`
 */
export function squaredDistanceToTriangle(
  { positions, triangles }: MeshGeometry,
  offset: number,
  x: number,
  y: number,
  z: number,
): number {
  const a = triangles[offset] * 3;
  const b = triangles[offset + 1] * 3;
  const c = triangles[offset + 2] * 3;
  const px = x - positions[a];
  const py = y - positions[a + 1];
  const pz = z - positions[a + 2];
  const ux = positions[b] - positions[a];
  const uy = positions[b + 1] - positions[a + 1];
  const uz = positions[b + 2] - positions[a + 2];
  const vx = positions[c] - positions[a];
  const vy = positions[c + 1] - positions[a + 1];
  const vz = positions[c + 2] - positions[a + 2];
  const uu = ux * ux + uy * uy + uz * uz;
  const uv = ux * vx + uy * vy + uz * vz;
  const vv = vx * vx + vy * vy + vz * vz;
  const up = ux * px + uy * py + uz * pz;
  const vp = vx * px + vy * py + vz * pz;
  const gramDeterminant = uu * vv - uv * uv;
  let nearest = Number.POSITIVE_INFINITY;
  const isDegenerate = gramDeterminant <= 1e-14 * uu * vv;
  const s = (vv * up - uv * vp) / gramDeterminant;
  const t = (uu * vp - uv * up) / gramDeterminant;
  if (s >= 0 && t >= 0 && s + t <= 1 && !isDegenerate) {
    return squaredLength(px - s * ux - t * vx, py - s * uy - t * vy, pz - s * uz - t * vz);
  }
  // The projection is outside, or undefined for a degenerate triangle, of which all sides are tested.
  if (t < 0 || isDegenerate) nearest = squaredDistanceToSegment(px, py, pz, ux, uy, uz);
  if (s < 0 || isDegenerate) nearest = Math.min(nearest, squaredDistanceToSegment(px, py, pz, vx, vy, vz));
  if (s + t > 1 || isDegenerate) {
    nearest = Math.min(nearest, squaredDistanceToSegment(px - ux, py - uy, pz - uz, vx - ux, vy - uy, vz - uz));
  }
  return nearest;
}

function squaredLength(x: number, y: number, z: number): number {
  return x * x + y * y + z * z;
}

/** Computes the squared distance of the point p from the segment between the origin and d. */
export function squaredDistanceToSegment(
  px: number,
  py: number,
  pz: number,
  dx: number,
  dy: number,
  dz: number,
): number {
  const length = squaredLength(dx, dy, dz);
  const t = length > 0 ? Math.min(1, Math.max(0, (px * dx + py * dy + pz * dz) / length)) : 0;
  return squaredLength(px - t * dx, py - t * dy, pz - t * dz);
}
