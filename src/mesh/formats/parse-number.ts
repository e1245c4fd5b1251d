const POINT = 0x2e;
const COMMA = 0x2c;
const MINUS = 0x2d;
const PLUS = 0x2b;
const ZERO = 0x30;
const NINE = 0x39;
/** Integers up to this are exact as doubles. */
export const LARGEST_EXACT = 1e15;
/** Powers of ten that are exact as doubles: 0 to 22. */
export const POWERS = Float64Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`));
const LONGEST = 400;

/**
 * The number that the characters from `start` to `end` are; NaN where they are none. A comma counts as the decimal point. Up to
 * 15 digits and small exponents are computed exactly with one multiplication or division (W. D. Clinger, How to read floating
 * point numbers accurately, 1990); what is longer goes to `Number`.
 */
export function parseNumber(text: Buffer, start: number, end: number): number {
  let at = start;
  const isNegative = text[at] === MINUS;
  if (isNegative || text[at] === PLUS) at++;
  const digitsAt = at;
  let value = 0;
  let byte = text[at];
  while (byte >= ZERO && byte <= NINE && at < end) {
    value = value * 10 + (byte - ZERO);
    byte = text[++at];
  }
  let digits = at - digitsAt;
  let exponent = 0;
  if ((byte === POINT || byte === COMMA) && at < end) {
    const decimalsAt = at + 1;
    byte = text[++at];
    while (byte >= ZERO && byte <= NINE && at < end) {
      value = value * 10 + (byte - ZERO);
      byte = text[++at];
    }
    digits += at - decimalsAt;
    exponent = decimalsAt - at;
  }
  if (digits > 0 && at < end && (text[at] | 0x20) === 0x65) {
    const isSmall = text[at + 1] === MINUS;
    let power = 0;
    at += isSmall || text[at + 1] === PLUS ? 2 : 1;
    if (at >= end) return Number.NaN;
    for (; at < end && text[at] >= ZERO && text[at] <= NINE; at++) power = power * 10 + (text[at] - ZERO);
    exponent += isSmall ? -power : power;
  }
  if (digits === 0 || at !== end) return Number.NaN;
  if (value > LARGEST_EXACT || exponent < -22 || exponent > 22) return numberOf(text, start, end);
  const size = exponent < 0 ? value / POWERS[-exponent] : value * POWERS[exponent];
  return isNegative ? -size : size;
}

/** What `Number` makes of these characters, which have been found to be a number. */
function numberOf(text: Buffer, start: number, end: number): number {
  if (end - start > LONGEST) return Number.NaN;
  const word = text.toString('latin1', start, end);
  return Number(word.includes(',') ? word.replace(',', '.') : word);
}
