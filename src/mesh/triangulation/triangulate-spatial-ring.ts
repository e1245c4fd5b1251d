import { distance } from '../geometry/distance.js';
import { triangulateMinimumArea } from './triangulate-minimum-area.js';

/** The least area takes time with the third power of the length: 200 corners are a million and a third triangles looked at. */
const MAX_RING_LENGTH = 200;
/** Chords looked at for each cut of a longer ring. */
const MAX_CHORDS = 500_000;

/**
 * Triangulates a ring in space, of any length. Long ones are cut by the chord that is shortest against the way round, again and again,
 * until the parts are short enough for the least area. Diagonals that are taken are used only where there is no way round them.
 */
export function triangulateSpatialRing(
  positions: Float64Array,
  ring: readonly number[],
  isTaken: (a: number, b: number) => boolean,
): number[] {
  const triangles: number[] = [];
  const parts: (readonly number[])[] = [ring];
  for (let part = parts.pop(); part; part = parts.pop()) {
    if (part.length <= MAX_RING_LENGTH) {
      for (const corner of triangulateMinimumArea(positions, part, isTaken)) triangles.push(corner);
      continue;
    }
    const [i, j] = bestChord(positions, part, isTaken);
    parts.push(part.slice(i, j + 1), [...part.slice(j), ...part.slice(0, i + 1)]);
  }
  return triangles;
}

function bestChord(
  positions: Float64Array,
  ring: readonly number[],
  isTaken: (a: number, b: number) => boolean,
): [number, number] {
  const n = ring.length;
  const arcLength = new Float64Array(n + 1); // corner → way from the first corner
  for (let i = 0; i < n; i++) arcLength[i + 1] = arcLength[i] + distance(positions, ring[i], ring[(i + 1) % n]);
  const step = Math.max(1, Math.ceil((n * n) / 2 / MAX_CHORDS));
  let best: [number, number] = [0, n >> 1];
  let bestRatio = Number.POSITIVE_INFINITY;
  for (let i = 0; i < n; i++) {
    for (let j = i + 2; j < n; j += step) {
      if (i === 0 && j === n - 1) continue; // a side of the ring, not a chord
      const pathLength = Math.min(arcLength[j] - arcLength[i], arcLength[n] - arcLength[j] + arcLength[i]);
      const ratio = distance(positions, ring[i], ring[j]) / pathLength;
      if (!(ratio < bestRatio) || isTaken(ring[i], ring[j])) continue;
      bestRatio = ratio;
      best = [i, j];
    }
  }
  return best;
}
