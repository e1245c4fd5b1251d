const POINT = 0x2e;
const COMMA = 0x2c;
const MINUS = 0x2d;
const PLUS = 0x2b;
const ZERO = 0x30;
const NINE = 0x39;
/** Integers up to this value are exact as doubles. */
export const MAX_EXACT_INTEGER = 1e15;
/** 10^0 to 10^22, the powers of ten that are exact as doubles. */
export const POWERS_OF_TEN = Float64Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`));
const MAX_NUMBER_LENGTH = 400;

/**
 * Parses the characters from `start` to `end` as a number. Returns NaN if they are not one. A comma is accepted as the
 * decimal point. Up to 15 digits with a small exponent take one exact multiplication or division (W. D. Clinger, How to
 * read floating point numbers accurately, 1990); all others use `Number`.
 */
export function parseNumber(text: Buffer, start: number, end: number): number {
  let index = start;
  const isNegative = text[index] === MINUS;
  if (isNegative || text[index] === PLUS) index++;
  const digitsStart = index;
  let value = 0;
  let byte = text[index];
  while (byte >= ZERO && byte <= NINE && index < end) {
    value = value * 10 + (byte - ZERO);
    byte = text[++index];
  }
  let digits = index - digitsStart;
  let exponent = 0;
  if ((byte === POINT || byte === COMMA) && index < end) {
    const decimalsStart = index + 1;
    byte = text[++index];
    while (byte >= ZERO && byte <= NINE && index < end) {
      value = value * 10 + (byte - ZERO);
      byte = text[++index];
    }
    digits += index - decimalsStart;
    exponent = decimalsStart - index;
  }
  if (digits > 0 && index < end && (text[index] | 0x20) === 0x65) {
    const isNegativeExponent = text[index + 1] === MINUS;
    let power = 0;
    index += isNegativeExponent || text[index + 1] === PLUS ? 2 : 1;
    if (index >= end) return Number.NaN;
    for (; index < end && text[index] >= ZERO && text[index] <= NINE; index++)
      power = power * 10 + (text[index] - ZERO);
    exponent += isNegativeExponent ? -power : power;
  }
  if (digits === 0 || index !== end) return Number.NaN;
  if (value > MAX_EXACT_INTEGER || exponent < -22 || exponent > 22) return toNumber(text, start, end);
  const magnitude = exponent < 0 ? value / POWERS_OF_TEN[-exponent] : value * POWERS_OF_TEN[exponent];
  return isNegative ? -magnitude : magnitude;
}

/** Converts characters that are known to be a number with `Number`. Returns NaN if they are too long. */
function toNumber(text: Buffer, start: number, end: number): number {
  if (end - start > MAX_NUMBER_LENGTH) return Number.NaN;
  const word = text.toString('latin1', start, end);
  return Number(word.includes(',') ? word.replace(',', '.') : word);
}
