/** Creates a linear congruential generator of numbers from 0 to 1, excluding 1. Deterministic for each seed. */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
