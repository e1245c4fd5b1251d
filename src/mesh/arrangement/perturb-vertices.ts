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

/**
 * Creates a pseudorandom number generator for the range from 0 to 1, excluding 1 (mulberry32, T. Ettinger 2017). Uses
 * integer arithmetic, so that the numbers are the same on every machine.
 */
export function createPrng(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
