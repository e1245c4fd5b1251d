const POINT = 0x2e;
const COMMA = 0x2c;
const MINUS = 0x2d;
const PLUS = 0x2b;
const ZERO = 0x30;
const NINE = 0x39;
/** Integers up to this are exact as doubles. */
export const MAX_EXACT_INTEGER = 1e15;
/** Powers of ten that are exact as doubles: 0 to 22. */
export const POWERS_OF_TEN = Float64Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`));
const MAX_NUMBER_LENGTH = 400;

/**
 * The number that the characters from `start` to `end` are; NaN where they are none. A comma counts as the decimal point. Up to
 * 15 digits and small exponents are computed exactly with one multiplication or division (W. D. Clinger, How to read floating
 * point numbers accurately, 1990); what is longer goes to `Number`.
 */
export function parseNumber(text: Buffer, start: number, end: number): number {
  let index = start;
  const isNegative = text[index] === MINUS;
  if (isNegative || text[index] === PLUS) index++;
  const digitsAt = index;
  let value = 0;
  let byte = text[index];
  while (byte >= ZERO && byte <= NINE && index < end) {
    value = value * 10 + (byte - ZERO);
    byte = text[++index];
  }
  let digits = index - digitsAt;
  let exponent = 0;
  if ((byte === POINT || byte === COMMA) && index < end) {
    const decimalsAt = index + 1;
    byte = text[++index];
    while (byte >= ZERO && byte <= NINE && index < end) {
      value = value * 10 + (byte - ZERO);
      byte = text[++index];
    }
    digits += index - decimalsAt;
    exponent = decimalsAt - index;
  }
  if (digits > 0 && index < end && (text[index] | 0x20) === 0x65) {
    const isSmall = text[index + 1] === MINUS;
    let power = 0;
    index += isSmall || text[index + 1] === PLUS ? 2 : 1;
    if (index >= end) return Number.NaN;
    for (; index < end && text[index] >= ZERO && text[index] <= NINE; index++)
      power = power * 10 + (text[index] - ZERO);
    exponent += isSmall ? -power : power;
  }
  if (digits === 0 || index !== end) return Number.NaN;
  if (value > MAX_EXACT_INTEGER || exponent < -22 || exponent > 22) return toNumber(text, start, end);
  const size = exponent < 0 ? value / POWERS_OF_TEN[-exponent] : value * POWERS_OF_TEN[exponent];
  return isNegative ? -size : size;
}

/** What `Number` makes of these characters, which have been found to be a number. */
function toNumber(text: Buffer, start: number, end: number): number {
  if (end - start > MAX_NUMBER_LENGTH) return Number.NaN;
  const word = text.toString('latin1', start, end);
  return Number(word.includes(',') ? word.replace(',', '.') : word);
}
