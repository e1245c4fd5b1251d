/**
 * Returns a generator of pseudorandom numbers in [0, 1), equal for equal seeds (mulberry32). Unlike those of a linear
 * congruential generator, the first numbers of adjacent seeds are uncorrelated, so each input can have its own seed.
 */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
