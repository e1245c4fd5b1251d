import type { MeshGeometry } from '../core/mesh.js';
import { closestPointOnTriangle } from '../geometry/point-triangle-distance.js';
import type { DistanceQuery } from '../spatial/distance-query.js';

/** A vertex is moved at most this far, in cubes: farther ones are where sheets meet bodies. */
const MAX_MOVE = 0.3;

/**
 * Creates a function that moves a vertex of the wrap, x, y, z in mm, to the distance from the surface that it was
 * interpolated for: onto the surface of a body, or `offsetMm` away from a sheet.
 */
export function createVertexProjection(
  { positions, triangles }: MeshGeometry,
  distanceQuery: DistanceQuery,
  { stepMm, offsetMm }: { stepMm: number; offsetMm: number },
): (point: Float64Array) => void {
  const closest = new Float64Array(3);
  return (point) => {
    const distanceMm = distanceQuery.distanceAt(point[0], point[1], point[2]);
    if (distanceMm === 0) return;
    const targetMm = distanceMm < offsetMm / 2 ? 0 : offsetMm;
    if (Math.abs(distanceMm - targetMm) > MAX_MOVE * stepMm) return;
    const [a, b, c] = [0, 1, 2].map((k) => triangles[distanceQuery.nearest * 3 + k] * 3);
    closestPointOnTriangle(positions, a, b, c, point[0], point[1], point[2], closest);
    for (let k = 0; k < 3; k++) point[k] = closest[k] + ((point[k] - closest[k]) * targetMm) / distanceMm;
  };
}
