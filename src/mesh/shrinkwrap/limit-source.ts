import type { MeshGeometry } from '../core/mesh.js';
import { doubleAreaNormal } from '../geometry/double-area-normal.js';
import { clusterVertices, dropEqualTriangles } from './cluster-vertices.js';

/** The surface that a wrap is computed from. */
export interface WrapSource {
  /** Closed if the surface is. */
  surface: MeshGeometry;
  /** `surface` without equal triangles. */
  distinct: MeshGeometry;
  /** The side of the cubes, at least as requested. */
  stepMm: number;
}

/** Visits of corners of the lattice per triangle, at most. A triangle no larger than a cube needs about 200. */
export const MAX_VISITS_PER_TRIANGLE = 500;
/** The same limit for small models. So many visits take about five seconds: the estimate is high. */
export const MIN_VISIT_LIMIT = 300_000_000;
/** Distance up to which vertices are merged, in cubes. It is less than the wrap deviates in any case. */
const CLUSTER_FRACTION = 0.05;
/** If that does not suffice, the cubes are enlarged until it does: each time at least by this factor. */
const MIN_COARSENING = 1.2;

/**
 * Limits the work of a narrow band. If too many corners of the lattice are near the triangles, as where 100,000 needles meet in
 * a tip, vertices that are within a fraction of a cube are merged. If they are still too many, the cubes become larger.
 *
 * @param bandCells the width of the band, in cubes
 */
export function limitSource(mesh: MeshGeometry, stepMm: number, bandCells: number): WrapSource {
  const limit = Math.max(MIN_VISIT_LIMIT, (mesh.triangles.length / 3) * MAX_VISITS_PER_TRIANGLE);
  if (estimateVisits(mesh, stepMm, bandCells) <= limit) return { surface: mesh, distinct: mesh, stepMm };
  let cubeMm = stepMm;
  for (;;) {
    const surface = clusterVertices(mesh, cubeMm * CLUSTER_FRACTION);
    const distinct = dropEqualTriangles(surface);
    const visits = estimateVisits(distinct, cubeMm, bandCells);
    if (visits <= limit) return { surface, distinct, stepMm: cubeMm };
    // The visits of a large triangle are inversely proportional to the area of a side of a cube.
    cubeMm *= Math.max(MIN_COARSENING, Math.sqrt(visits / limit));
  }
}

/**
 * Estimates the number of corners that `computeNarrowBand` visits: those in the box of a triangle, along the axis with
 * the fewest between two planes beside it.
 */
export function estimateVisits({ positions, triangles }: MeshGeometry, stepMm: number, bandCells: number): number {
  let sum = 0;
  const counts = [0, 0, 0];
  for (let triangle = 0; triangle < triangles.length / 3; triangle++) {
    const normal = doubleAreaNormal(positions, triangles, triangle);
    const length = Math.hypot(...normal);
    for (let axis = 0; axis < 3; axis++) {
      const corners = [0, 1, 2].map((k) => positions[triangles[triangle * 3 + k] * 3 + axis]);
      counts[axis] = (Math.max(...corners) - Math.min(...corners)) / stepMm + 2 * bandCells + 1;
    }
    const volume = counts[0] * counts[1] * counts[2];
    let visits = volume;
    for (let axis = 0; axis < 3; axis++) {
      const depth = (2 * bandCells * length) / Math.abs(normal[axis]) + 1; // infinite or NaN if the plane is parallel
      if (depth < counts[axis]) visits = Math.min(visits, (volume / counts[axis]) * depth);
    }
    sum += visits;
  }
  return sum;
}
