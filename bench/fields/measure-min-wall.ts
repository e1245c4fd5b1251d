import type { IndexedMesh } from '../../src/mesh/core/mesh.js';
import { forEachSamplePoint, writeBarycentricPoint } from '../../src/mesh/geometry/sample-triangle.js';
import { DistanceQuery } from '../../src/mesh/spatial/distance-query.js';

/** Returns the minimum distance in mm of the triangles that hollowing added from the outer surface, at sample points. */
export function measureMinWall(outer: IndexedMesh, hollowed: IndexedMesh): number {
  const distanceQuery = new DistanceQuery(outer);
  const point = new Float64Array(3);
  let minMm = Number.POSITIVE_INFINITY;
  for (let triangle = outer.triangles.length / 3; triangle < hollowed.triangles.length / 3; triangle++) {
    forEachSamplePoint(4, (s, t) => {
      writeBarycentricPoint(hollowed, triangle, s, t, point);
      minMm = Math.min(minMm, distanceQuery.distanceAt(point[0] ?? 0, point[1] ?? 0, point[2] ?? 0));
    });
  }
  return minMm;
}
