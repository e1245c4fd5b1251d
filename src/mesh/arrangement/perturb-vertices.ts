/**
 * Moves some vertices (`isMoved`: vertex → 1) by up to `amplitudeMm` along each axis, so that nothing lies exactly in the plane of anything
 * else any more. The same numbers for the same seed, on every machine.
 */
export function perturbVertices(
  positions: Float64Array,
  isMoved: Uint8Array,
  amplitudeMm: number,
  seed: number,
): Float64Array<ArrayBuffer> {
  const random = createPrng(seed);
  const moved = new Float64Array(positions);
  for (let vertex = 0; vertex < isMoved.length; vertex++) {
    if (isMoved[vertex] === 0) continue;
    for (let k = 0; k < 3; k++) moved[vertex * 3 + k] += (random() * 2 - 1) * amplitudeMm;
  }
  return moved;
}

/** Numbers from 0 up to 1 (mulberry32, T. Ettinger, 2017): integer arithmetic only. */
export function createPrng(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
