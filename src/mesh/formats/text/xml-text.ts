import { parseNumber } from './parse-number.js';

const BUILT_IN: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

// Bytes with a meaning in markup.
export const SPACE = 0x20;
export const LESS = 0x3c;
export const GREATER = 0x3e;
export const SLASH = 0x2f;
export const EQUALS = 0x3d;
export const COLON = 0x3a;

/** Decodes character and built-in entity references. Leaves all others unchanged; nothing is looked up. */
export function decodeXml(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w{1,8}));/gi, (reference, hex, decimal, name) => {
    if (name) return BUILT_IN[name] ?? reference;
    const code = hex ? Number.parseInt(hex, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : reference;
  });
}

/**
 * Encodes text for an attribute or element: escapes markup, replaces tabs and line ends with spaces, and removes
 * characters that XML cannot represent.
 */
export function encodeXml(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that XML cannot represent
  const valid = text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '');
  const toReference = (character: string): string =>
    `&${Object.keys(BUILT_IN).find((name) => BUILT_IN[name] === character)};`;
  return valid.replace(/[<>&"']/g, toReference).replace(/[\t\n\r]/g, ' ');
}

/** Parses the number between two offsets, ignoring surrounding spaces. Returns NaN if there is none. */
export function parseNumberIn(text: Buffer, from: number, to: number): number {
  let [start, end] = [from, to];
  while (start < end && text[start] <= SPACE) start++;
  while (end > start && text[end - 1] <= SPACE) end--;
  return parseNumber(text, start, end);
}

/** Returns whether the ASCII text `expected` is at `start`. */
export function isTextAt(text: Buffer, expected: string, start: number): boolean {
  for (let k = 0; k < expected.length; k++) if (text[start + k] !== expected.charCodeAt(k)) return false;
  return true;
}
