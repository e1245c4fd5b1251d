/** Random numbers that a seed gives again. */
export interface Random {
  /** From 0 to just below 1. */
  next(): number;
  /** A whole number, both ends included. */
  whole(min: number, max: number): number;
  /** A piece of a fixed block of random bytes, whose first bytes no two calls give alike. `count`: at most `MAX_BYTES`. */
  bytes(count: number): Uint8Array;
  /** One of a list that is not empty. */
  oneOf<T>(list: readonly T[]): T;
}

/** The longest piece that `bytes` gives. */
export const MAX_BYTES = 2 * 1024 * 1024;

/** Mulberry32: 32 bits of state are enough to draw moments and sizes. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const block = new Uint32Array(MAX_BYTES / 4).map(() => next() * 2 ** 32);
  const whole = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1));
  return {
    next,
    whole,
    bytes: (count) => {
      const piece = new Uint8Array(block.buffer.slice(0, count));
      for (let index = 0; index < Math.min(8, count); index++) piece[index] = whole(0, 255);
      return piece;
    },
    oneOf: (list) => list[whole(0, list.length - 1)] as (typeof list)[number], // the index lies within
  };
}
