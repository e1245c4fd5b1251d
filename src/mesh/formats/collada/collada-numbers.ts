import { parseNumber } from '../text/parse-number.js';
import { parseNumbers } from '../text/parse-numbers.js';

const COMMA = 0x2c;
const SPACE = 0x20;

/**
 * Parses a list of decimal numbers. They are separated by spaces (XML Schema, `list`); programs that run in a language
 * with a decimal comma write it instead of the point, others separate by commas. A comma is a decimal comma if this gives
 * as many numbers as declared or, without that, if all words are numbers then: `1,5 2,5`, but not `1,2,3`.
 *
 * @param count the declared number of numbers; `undefined` if unknown
 */
export function parseDecimals(text: Buffer, count: number | undefined): Float64Array {
  if (!text.includes(COMMA)) return parseNumbers(text);
  const decimals = parseNumbers(text, (byte) => byte <= SPACE);
  if (decimals.length === count) return decimals;
  const separated = parseNumbers(text);
  return separated.length === count || decimals.some(Number.isNaN) ? separated : decimals;
}

/** Parses one decimal number with a point or a comma, with spaces around it. Returns NaN for any other text. */
export function parseDecimal(text: string): number {
  const bytes = Buffer.from(text.trim());
  return parseNumber(bytes, 0, bytes.length);
}
