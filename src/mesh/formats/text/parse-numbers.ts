import { GrowableFloat64Array } from '../../core/growable-float64-array.js';
import { parseNumber } from './parse-number.js';

const COMMA = 0x2c;
const SPACE = 0x20;

/** Returns whether a byte separates words. Commas count as spaces, as in VRML and X3D. */
export function isSeparator(byte: number): boolean {
  return byte <= SPACE || byte === COMMA;
}

/**
 * Parses numbers separated by spaces and commas. Words that are not numbers become NaN. The result has no spare capacity:
 * a file may have one list per polygon.
 *
 * @param separates returns whether a byte separates numbers. Default: a space or a comma does.
 */
export function parseNumbers(text: Buffer, separates: (byte: number) => boolean = isSeparator): Float64Array {
  const numbers = new GrowableFloat64Array();
  for (let index = 0; index < text.length; ) {
    if (separates(text[index])) {
      index++;
      continue;
    }
    const start = index;
    while (index < text.length && !separates(text[index])) index++;
    numbers.push(parseNumber(text, start, index));
  }
  return numbers.values().slice();
}
