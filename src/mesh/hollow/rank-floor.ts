import type { MeshGeometry } from '../core/mesh.js';
import { subtract } from '../core/vec3.js';
import { DistanceQuery } from '../spatial/distance-query.js';
import { type FloorPoint, toUnitVector, type UpAxis } from './find-pools.js';

/** Points of a floor have enough clearance if it is at least this fraction of the largest one. */
const CLEARANCE_FRACTION = 0.9;

/**
 * Returns the points of a floor at which a hole may be, the best ones first: those nearest to the middle, or, if there
 * are `existing` holes, those farthest from them. The lowest point is the second one, because it may not be among them.
 */
export type FloorRanking = (
  floor: readonly FloorPoint[],
  existing: readonly (readonly number[])[],
) => (readonly number[])[];

/**
 * Creates a function that keeps the points of a floor that have the most clearance: the distance of the surface of the cavity
 * from the center of a ball of the hole's radius on the floor.
 *
 * @param cavity the surface of the cavities, facing away from them
 */
export function createFloorRanking(cavity: MeshGeometry, radiusMm: number, upAxis: UpAxis): FloorRanking {
  const up = toUnitVector(upAxis);
  const query = new DistanceQuery(cavity);
  const clearanceAt = ({ position }: FloorPoint) => {
    const [x, y, z] = up.map((part, k) => position[k] + part * radiusMm);
    return query.distanceAt(x, y, z);
  };
  return (floor, existing) => {
    const [lowest] = floor;
    const clearancesMm = floor.map(clearanceAt);
    const maxClearanceMm = clearancesMm.reduce((max, clearanceMm) => Math.max(max, clearanceMm), 0);
    const kept = floor.filter(
      ({ areaMm2 }, i) => areaMm2 > 0 && clearancesMm[i] >= maxClearanceMm * CLEARANCE_FRACTION,
    );
    if (kept.length === 0) return [lowest.position];
    const middle = computeMean(kept);
    const costOf = (point: readonly number[]) =>
      existing.length === 0
        ? Math.hypot(...subtract(point, middle))
        : -existing.reduce(
            (min, hole) => Math.min(min, Math.hypot(...subtract(point, hole))),
            Number.POSITIVE_INFINITY,
          );
    const [best, ...others] = kept
      .map(({ position }) => ({ position, cost: costOf(position) }))
      .sort((a, b) => a.cost - b.cost)
      .map(({ position }) => position);
    return [best, lowest.position, ...others];
  };
}

/** Computes the mean of points, weighted by area. */
function computeMean(points: readonly FloorPoint[]): number[] {
  const totalMm2 = points.reduce((sum, { areaMm2 }) => sum + areaMm2, 0);
  return [0, 1, 2].map((k) =>
    points.reduce((sum, { position, areaMm2 }) => sum + position[k] * (areaMm2 / totalMm2), 0),
  );
}
