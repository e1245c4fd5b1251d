/** A reproducible source of random values. */
export interface Random {
  /** Returns a number in [0, 1). */
  next(): number;
  /** Returns an integer from `min` to `max`, inclusive. */
  integer(min: number, max: number): number;
  /** Returns bytes of a fixed random block, with new first 8 bytes for each call. `count`: at most `MAX_BYTES`. */
  bytes(count: number): Uint8Array;
  /** Returns a random element of a list that is not empty. */
  pick<T>(list: readonly T[]): T;
}

/** The limit of `Random.bytes`. */
export const MAX_BYTES = 2 * 1024 * 1024;

/** Creates a generator from a seed (Mulberry32 by T. Ettinger): 32 bits of state are sufficient for times and sizes. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const block = new Uint32Array(MAX_BYTES / 4).map(() => next() * 2 ** 32);
  const integer = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1));
  return {
    next,
    integer,
    bytes: (count) => {
      const bytes = new Uint8Array(block.buffer.slice(0, count));
      for (let index = 0; index < Math.min(8, count); index++) bytes[index] = integer(0, 255);
      return bytes;
    },
    pick: (list) => list[integer(0, list.length - 1)] as (typeof list)[number], // the index is within the list
  };
}
