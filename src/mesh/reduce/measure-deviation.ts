import type { IndexedMesh } from '../mesh.js';
import { DistanceSearch } from '../spatial/closest-point.js';

/** A point of one surface that is too far from another one. */
export interface Stray {
  x: number;
  y: number;
  z: number;
  distanceMm: number;
}

/** How far two surfaces are from each other at most, as far as was looked, and where that is beyond what is allowed. */
export interface Deviation {
  /** Where it is below a quarter of what is allowed: not measured closely. */
  maxDistanceMm: number;
  strays: Stray[];
}

// Points on each side of a triangle, at most.
const MOST_DIVISIONS = 5;
// What is nearer than this share of what is allowed need not be measured closely.
const NEAR_SHARE = 0.25;
// Enough to see where it is too far.
const MOST_STRAYS = 10_000;

/**
 * Measures, both ways, how far a surface is from another one: at all corners, in the middle of all triangles and, where they are large, at
 * points on them that are `4 * limitMm` apart, up to 15 a triangle. Exact at each point.
 */
export function measureDeviation(a: IndexedMesh, b: IndexedMesh, limitMm: number): Deviation {
  const result: Deviation = { maxDistanceMm: 0, strays: [] };
  measureFrom(a, new DistanceSearch(b), limitMm, result);
  measureFrom(b, new DistanceSearch(a), limitMm, result);
  return result;
}

function measureFrom(
  { positions, triangles }: IndexedMesh,
  to: DistanceSearch,
  limitMm: number,
  result: Deviation,
): void {
  const isSeen = new Uint8Array(positions.length / 3);
  const look = (x: number, y: number, z: number): void => {
    const distanceMm = to.distanceAt(x, y, z, limitMm * NEAR_SHARE);
    if (distanceMm > result.maxDistanceMm) result.maxDistanceMm = distanceMm;
    if (distanceMm > limitMm && result.strays.length < MOST_STRAYS) result.strays.push({ x, y, z, distanceMm });
  };
  for (let at = 0; at < triangles.length; at += 3) {
    const [a, b, c] = [triangles[at] * 3, triangles[at + 1] * 3, triangles[at + 2] * 3];
    for (const vertex of [a, b, c]) {
      if (isSeen[vertex / 3] === 1) continue;
      isSeen[vertex / 3] = 1;
      look(positions[vertex], positions[vertex + 1], positions[vertex + 2]);
    }
    const longest = Math.max(sideOf(positions, a, b), sideOf(positions, b, c), sideOf(positions, c, a));
    const divisions = Math.min(MOST_DIVISIONS, Math.max(1, Math.ceil(longest / (4 * limitMm))));
    // The middles of a lattice of smaller triangles.
    for (let i = 0; i < divisions; i++) {
      for (let j = 0; j < divisions - i; j++) {
        const [s, t] = [(i + 1 / 3) / divisions, (j + 1 / 3) / divisions];
        const [x, y, z] = [0, 1, 2].map(
          (k) => positions[a + k] * (1 - s - t) + positions[b + k] * s + positions[c + k] * t,
        );
        look(x, y, z);
      }
    }
  }
}

const sideOf = (p: Float64Array, a: number, b: number): number =>
  Math.hypot(p[a] - p[b], p[a + 1] - p[b + 1], p[a + 2] - p[b + 2]);
