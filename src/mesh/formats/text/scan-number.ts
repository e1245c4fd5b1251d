import { MAX_EXACT_INTEGER, POWERS_OF_TEN } from './parse-number.js';

const MINUS = 0x2d;
const PLUS = 0x2b;
const POINT = 0x2e;
const LETTER_E = 0x65;
const CAPITAL_E = 0x45;
const ZERO = 0x30;
/** This many digits always fit into an int32. */
const MAX_DIGITS = 9;
const MAX_POWER = 22;

/**
 * Parses the number that begins at `start` in the common form: sign, digits, point, digits, and optionally an exponent
 * with a sign and two digits, as printf writes it. Stores the value that `Number` returns in `target[index]` and
 * returns the offset after the number. Returns -1 for any other form, and if one multiplication or division would not
 * be exact (see `parseNumber`).
 *
 * `view` covers the same bytes. The caller checks what follows: of `12abc`, this reads 12.
 */
export function scanNumber(
  bytes: Uint8Array,
  view: DataView,
  start: number,
  target: Float64Array,
  index: number,
): number {
  let offset = start;
  let digit = bytes[offset] - ZERO;
  const isNegative = digit === MINUS - ZERO;
  if (isNegative) digit = bytes[++offset] - ZERO;
  const digitsStart = offset;
  let mantissa = 0;
  while (digit >= 0 && digit <= 9) {
    mantissa = (Math.imul(mantissa, 10) + digit) | 0;
    digit = bytes[++offset] - ZERO;
  }
  let digits = offset - digitsStart;
  if (digits === 0) return -1;
  let exponent = 0;
  if (digit === POINT - ZERO) {
    const decimalsStart = ++offset;
    // `bytes.length` is used because the length of a view is a slow call.
    while (offset + 4 <= bytes.length) {
      const word = view.getInt32(offset, true);
      if (!areDigits(word)) break;
      mantissa = (Math.imul(mantissa, 10_000) + valueOfDigits(word)) | 0;
      offset += 4;
    }
    digit = bytes[offset] - ZERO;
    while (digit >= 0 && digit <= 9) {
      mantissa = (Math.imul(mantissa, 10) + digit) | 0;
      digit = bytes[++offset] - ZERO;
    }
    digits += offset - decimalsStart;
    exponent = decimalsStart - offset;
  }
  const value = digits <= MAX_DIGITS ? mantissa : wideMantissa(bytes, digitsStart, offset);
  if (digit === LETTER_E - ZERO || digit === CAPITAL_E - ZERO) {
    const sign = bytes[offset + 1];
    const tens = bytes[offset + 2] - ZERO;
    const ones = bytes[offset + 3] - ZERO;
    const hasTwoDigits = (sign === MINUS || sign === PLUS) && tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9;
    if (!hasTwoDigits) return -1;
    exponent += sign === MINUS ? -(tens * 10 + ones) : tens * 10 + ones;
    offset += 4;
  }
  if (value > MAX_EXACT_INTEGER || exponent < -MAX_POWER || exponent > MAX_POWER) return -1;
  const magnitude = exponent < 0 ? value / POWERS_OF_TEN[-exponent] : value * POWERS_OF_TEN[exponent];
  target[index] = isNegative ? -magnitude : magnitude;
  return offset;
}

/** Returns the digits from `start` to `end` as one number, skipping the point. */
function wideMantissa(bytes: Uint8Array, start: number, end: number): number {
  let value = 0;
  for (let index = start; index < end; index++) if (bytes[index] !== POINT) value = value * 10 + (bytes[index] - ZERO);
  return value;
}

/** Returns whether four bytes are all digits: the high nibble is 3 before and after adding 6 (SWAR). */
function areDigits(word: number): boolean {
  return ((word & 0xf0f0f0f0) | 0) === 0x30303030 && (((word + 0x06060606) & 0xf0f0f0f0) | 0) === 0x30303030;
}

/** Returns the value of four digits, the first in the lowest byte, by adding pairs in parallel (SWAR). */
function valueOfDigits(word: number): number {
  const digits = word & 0x0f0f0f0f;
  const pairs = (Math.imul(digits, 10) + (digits >>> 8)) & 0x00ff00ff;
  return (Math.imul(pairs, 100) + (pairs >>> 16)) & 0xffff;
}
