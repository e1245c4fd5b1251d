import { distance } from '../geometry/distance.js';
import { triangulateMinimumArea } from './triangulate-minimum-area.js';

/**
 * Longest ring for the minimum-area triangulation, which takes cubic time: 1.3 million triangles are evaluated for it.
 */
const MAX_RING_LENGTH = 200;
/** Chords evaluated for each cut of a longer ring, at most. */
const MAX_CHORDS = 500_000;
/** Above 1 by more than the rounding error of the comparison of squared lengths. */
const ROUNDING_FACTOR = 1 + 1e-12;

/**
 * Triangulates a ring of vertices in space, of any length.
 *
 * Cuts rings of more than 200 vertices recursively at the chord with the smallest ratio of chord to arc length. The
 * parts get a minimum-area triangulation (Barequet and Sharir 1995).
 *
 * @param edgeExists returns whether a diagonal between two vertices is already an edge of the mesh; such diagonals are
 * used only if unavoidable
 * @returns three vertex indices per triangle, in the winding of the ring
 */
export function triangulateSpatialRing(
  positions: Float64Array,
  ring: readonly number[],
  edgeExists: (a: number, b: number) => boolean,
): number[] {
  const triangles: number[] = [];
  const parts: (readonly number[])[] = [ring];
  for (let part = parts.pop(); part; part = parts.pop()) {
    if (part.length <= MAX_RING_LENGTH) {
      for (const corner of triangulateMinimumArea(positions, part, edgeExists)) triangles.push(corner);
      continue;
    }
    const [i, j] = findChord(positions, part, edgeExists);
    parts.push(part.slice(i, j + 1), [...part.slice(j), ...part.slice(0, i + 1)]);
  }
  return triangles;
}

function squaredDistance(positions: Float64Array, a: number, b: number): number {
  const x = positions[a * 3] - positions[b * 3];
  const y = positions[a * 3 + 1] - positions[b * 3 + 1];
  const z = positions[a * 3 + 2] - positions[b * 3 + 2];
  return x * x + y * y + z * z;
}

/** Finds the chord with the smallest ratio to the arc length between its ends, as indices into `ring`. */
function findChord(
  positions: Float64Array,
  ring: readonly number[],
  edgeExists: (a: number, b: number) => boolean,
): [number, number] {
  const n = ring.length;
  const arcLength = new Float64Array(n + 1); // corner → arc length from the first corner
  for (let i = 0; i < n; i++) arcLength[i + 1] = arcLength[i] + distance(positions, ring[i], ring[(i + 1) % n]);
  const step = Math.max(1, Math.ceil((n * n) / 2 / MAX_CHORDS));
  let best: [number, number] = [0, n >> 1];
  let bestRatio = Number.POSITIVE_INFINITY;
  for (let i = 0; i < n; i++) {
    for (let j = i + 2; j < n; j += step) {
      if (i === 0 && j === n - 1) continue; // a side of the ring, not a chord
      const shorterArcLength = Math.min(arcLength[j] - arcLength[i], arcLength[n] - arcLength[j] + arcLength[i]);
      // Most chords are longer than the limit by far. This comparison is ten times as fast as the exact one.
      if (squaredDistance(positions, ring[i], ring[j]) > (bestRatio * shorterArcLength) ** 2 * ROUNDING_FACTOR)
        continue;
      const ratio = distance(positions, ring[i], ring[j]) / shorterArcLength;
      if (!(ratio < bestRatio) || edgeExists(ring[i], ring[j])) continue;
      bestRatio = ratio;
      best = [i, j];
    }
  }
  return best;
}
