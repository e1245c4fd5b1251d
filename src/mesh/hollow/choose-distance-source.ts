import type { IndexedMesh } from '../core/mesh.js';
import { createWorkCounter } from '../core/work-counter.js';
import { computeBounds } from '../geometry/bounds.js';
import { buildBvh } from '../spatial/bvh.js';
import { DistanceQuery } from '../spatial/distance-query.js';

/** Number of points along each axis at which distances are tried. */
const SAMPLES_PER_AXIS = 4;
/** Most queries visit at most twice the square root of the number of triangles, even between distant points. */
const MAX_VISITS_FACTOR = 10;

/**
 * Returns the surface to measure distances from: the mesh, or a simplified one if most distance queries visit a large
 * part of it, because triangles are much longer than they are apart, as in a cone of 100,000 segments.
 *
 * @param simplify returns a surface near that of the mesh
 */
export function chooseDistanceSource(mesh: IndexedMesh, simplify: () => IndexedMesh): IndexedMesh {
  const { min, max } = computeBounds(mesh.positions);
  const work = createWorkCounter(Number.MAX_SAFE_INTEGER);
  const query = new DistanceQuery(mesh, buildBvh(mesh.positions, mesh.triangles), undefined, work);
  const visits: number[] = [];
  const coordinateOf = (k: 0 | 1 | 2, i: number) => min[k] + ((i + 0.5) / SAMPLES_PER_AXIS) * (max[k] - min[k]);
  for (let i = 0; i < SAMPLES_PER_AXIS ** 3; i++) {
    const before = work.remaining();
    const [x, y] = [i % SAMPLES_PER_AXIS, Math.floor(i / SAMPLES_PER_AXIS) % SAMPLES_PER_AXIS];
    query.distanceAt(coordinateOf(0, x), coordinateOf(1, y), coordinateOf(2, Math.floor(i / SAMPLES_PER_AXIS ** 2)));
    visits.push(before - work.remaining());
  }
  visits.sort((a, b) => a - b);
  return visits[visits.length / 2] > MAX_VISITS_FACTOR * Math.sqrt(mesh.triangles.length / 3) ? simplify() : mesh;
}
