import { parseNumber } from './parse-number.js';

const BUILT_IN: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

// The bytes that mark up a document.
export const SPACE = 0x20;
export const LESS = 0x3c;
export const GREATER = 0x3e;
export const SLASH = 0x2f;
export const EQUALS = 0x3d;
export const COLON = 0x3a;

/** Text with its references to characters replaced. What is no such reference stays as it is: nothing else is ever looked up. */
export function decodeXml(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w{1,8}));/gi, (reference, hex, decimal, name) => {
    if (name) return BUILT_IN[name] ?? reference;
    const code = hex ? Number.parseInt(hex, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : reference;
  });
}

/** Text as it may stand in an attribute or an element: references for what means something, nothing for what XML cannot hold. */
export function encodeXml(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that XML cannot hold
  const sound = text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '');
  const named = (character: string): string =>
    `&${Object.keys(BUILT_IN).find((name) => BUILT_IN[name] === character)};`;
  return sound.replace(/[<>&"']/g, named).replace(/[\t\n\r]/g, ' ');
}

/** The number that stands between two places, spaces round it aside; NaN where there is none. */
export function parseNumberIn(text: Buffer, from: number, to: number): number {
  let [start, end] = [from, to];
  while (start < end && text[start] <= SPACE) start++;
  while (end > start && text[end - 1] <= SPACE) end--;
  return parseNumber(text, start, end);
}

/** Whether this text, of ASCII, begins at `start`. */
export function isTextAt(text: Buffer, what: string, start: number): boolean {
  for (let k = 0; k < what.length; k++) if (text[start + k] !== what.charCodeAt(k)) return false;
  return true;
}
