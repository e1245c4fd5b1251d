import { readFileSync } from 'node:fs';

/** How thorough the tests are: those of Node and `npm test`, of the suite `exhaustive` in the gate, or of the soak. */
type Level = 'test' | 'gate' | 'soak';

/** A row of `test/counts.json`: how many of the cases of `file` are tested at each level. */
interface Row extends Record<Level, number | 'all'> {
  name: string;
  file: string;
}

const ROWS: readonly Row[] = JSON.parse(readFileSync(new URL('../counts.json', import.meta.url), 'utf8'));
const LEVELS: Readonly<Record<string, Level>> = { test: 'test', gate: 'gate', soak: 'soak' };

/** Selects which cases are sampled. Fixed, except in the soak, which also runs with the date of the day. */
export const SAMPLE_SEED = Number(process.env.SAMPLE_SEED ?? 20261121);

/** Returns how many cases are tested: the count of the level `COUNTS` (default: `test`) in `test/counts.json`. */
export function countOf(name: string): number {
  const row = ROWS.find((each) => each.name === name);
  const level = LEVELS[process.env.COUNTS ?? 'test'];
  if (!row || !level) throw new TypeError(`Invalid count "${name}" of "${process.env.COUNTS}".`);
  const count = row[level];
  return count === 'all' ? Number.POSITIVE_INFINITY : count;
}

/** Returns a number from 0 to 1, excluding 1, that depends on the seed and `index` (SplitMix32). */
function randomAt(index: number): number {
  let bits = (SAMPLE_SEED + Math.imul(index + 1, 0x9e3779b9)) | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x21f0aaad);
  bits = Math.imul(bits ^ (bits >>> 15), 0x735a2d97);
  return ((bits ^ (bits >>> 15)) >>> 0) / 2 ** 32;
}

/**
 * Returns the numbers from 1 to `total`, or `count` of them in ascending order: one of each of `count` parts of equal
 * length, selected by the seed.
 */
export function sampleNumbers(total: number, count: number): number[] {
  if (total <= count) return Array.from({ length: total }, (_, index) => index + 1);
  return Array.from({ length: count }, (_, index) => {
    const start = Math.floor((index * total) / count);
    const end = Math.floor(((index + 1) * total) / count);
    return start + 1 + Math.floor(randomAt(index) * (end - start));
  });
}

/** Returns all items, or `count` of them in their order, selected as by `sampleNumbers`. */
export function sample<T>(items: readonly T[], count: number): T[] {
  return sampleNumbers(items.length, count).flatMap((number) => items.slice(number - 1, number));
}
