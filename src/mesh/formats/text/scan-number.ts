import { MAX_EXACT_INTEGER, POWERS_OF_TEN } from './parse-number.js';

const MINUS = 0x2d;
const PLUS = 0x2b;
const POINT = 0x2e;
const LETTER_E = 0x65;
const CAPITAL_E = 0x45;
const ZERO = 0x30;
/** As many digits always fit into an int32. */
const MAX_DIGITS = 9;
const MAX_POWER = 22;

/**
 * Reads the number that begins at `start`, in the form that most have: sign, digits, point, digits, and at most an exponent of a sign and two
 * digits, as programs in C write it. Puts what `Number` makes of it at `index` of `into`, and answers where it ends; -1 for any other form, and
 * for more digits than one multiplication or division gets right (see `parseNumber`). `view` is of the same bytes. What stands behind the number
 * is for the caller to judge: of `12abc` this is 12.
 */
export function scanNumber(
  bytes: Uint8Array,
  view: DataView,
  start: number,
  into: Float64Array,
  index: number,
): number {
  let at = start;
  let digit = bytes[at] - ZERO;
  const isNegative = digit === MINUS - ZERO;
  if (isNegative) digit = bytes[++at] - ZERO;
  const digitsAt = at;
  let mantissa = 0;
  while (digit >= 0 && digit <= 9) {
    mantissa = (Math.imul(mantissa, 10) + digit) | 0;
    digit = bytes[++at] - ZERO;
  }
  let digits = at - digitsAt;
  if (digits === 0) return -1;
  let exponent = 0;
  if (digit === POINT - ZERO) {
    const decimalsAt = ++at;
    // The length of the bytes: that of a view is a call, and takes longer than the digits.
    while (at + 4 <= bytes.length) {
      const four = view.getInt32(at, true);
      if (!areDigits(four)) break;
      mantissa = (Math.imul(mantissa, 10_000) + valueOfDigits(four)) | 0;
      at += 4;
    }
    digit = bytes[at] - ZERO;
    while (digit >= 0 && digit <= 9) {
      mantissa = (Math.imul(mantissa, 10) + digit) | 0;
      digit = bytes[++at] - ZERO;
    }
    digits += at - decimalsAt;
    exponent = decimalsAt - at;
  }
  const value = digits <= MAX_DIGITS ? mantissa : wideMantissa(bytes, digitsAt, at);
  if (digit === LETTER_E - ZERO || digit === CAPITAL_E - ZERO) {
    const sign = bytes[at + 1];
    const tens = bytes[at + 2] - ZERO;
    const ones = bytes[at + 3] - ZERO;
    const isUsual = (sign === MINUS || sign === PLUS) && tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9;
    if (!isUsual) return -1;
    exponent += sign === MINUS ? -(tens * 10 + ones) : tens * 10 + ones;
    at += 4;
  }
  if (value > MAX_EXACT_INTEGER || exponent < -MAX_POWER || exponent > MAX_POWER) return -1;
  const size = exponent < 0 ? value / POWERS_OF_TEN[-exponent] : value * POWERS_OF_TEN[exponent];
  into[index] = isNegative ? -size : size;
  return at;
}

/** The digits from `start` to `end` as one number, a point among them left out. */
function wideMantissa(bytes: Uint8Array, start: number, end: number): number {
  let value = 0;
  for (let index = start; index < end; index++) if (bytes[index] !== POINT) value = value * 10 + (bytes[index] - ZERO);
  return value;
}

/** Whether four bytes are digits: of each the upper half is 3, and so it is 6 further on. */
function areDigits(four: number): boolean {
  return ((four & 0xf0f0f0f0) | 0) === 0x30303030 && (((four + 0x06060606) & 0xf0f0f0f0) | 0) === 0x30303030;
}

/** The number that four digits are, the first in the lowest byte. */
function valueOfDigits(four: number): number {
  const digits = four & 0x0f0f0f0f;
  const pairs = (Math.imul(digits, 10) + (digits >>> 8)) & 0x00ff00ff;
  return (Math.imul(pairs, 100) + (pairs >>> 16)) & 0xffff;
}
