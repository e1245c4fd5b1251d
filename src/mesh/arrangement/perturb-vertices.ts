import { createPrng } from '../core/prng.js';

/**
 * Returns positions with random offsets of up to `amplitudeMm` along each axis for the marked vertices. Removes exact
 * coplanarities and contacts. Deterministic for each seed, on every machine.
 *
 * @param isMoved vertex → 1 if it is moved
 */
export function perturbVertices(
  positions: Float64Array,
  isMoved: Uint8Array,
  amplitudeMm: number,
  seed: number,
): Float64Array<ArrayBuffer> {
  const random = createPrng(seed);
  const perturbed = new Float64Array(positions);
  for (let vertex = 0; vertex < isMoved.length; vertex++) {
    if (isMoved[vertex] === 0) continue;
    for (let k = 0; k < 3; k++) perturbed[vertex * 3 + k] += (random() * 2 - 1) * amplitudeMm;
  }
  return perturbed;
}
