import { crc32 } from 'node:zlib';

/** The characters 0x80 to 0xff of code page 437, in which ZIP stores names by default (APPNOTE, appendix D). */
const CP437 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0';

/** byte → the character of code page 437 */
const CP437_UNITS = Uint16Array.from({ length: 256 }, (_, byte) =>
  byte < 0x80 ? byte : CP437.charCodeAt(byte - 0x80),
);
const [SLASH, BACKSLASH] = [0x2f, 0x5c];

/**
 * The encodings in which a name that is not UTF-8 may be meant, most likely first. In `utf-8`, invalid bytes become
 * U+FFFD, as they do in a reference of the same wrong encoding.
 */
export const NAME_ENCODINGS = ['cp437', 'shift_jis', 'gbk', 'big5', 'euc-kr', 'windows-1252', 'utf-8'] as const;

/** An encoding of `NAME_ENCODINGS`. */
export type NameEncoding = (typeof NAME_ENCODINGS)[number];

/** The extra field with the name in UTF-8, which Info-ZIP and others write (APPNOTE, 4.6.9). */
const UNICODE_PATH = 0x7075;
const UNICODE_PATH_HEADER_BYTES = 5;

/**
 * Returns the name of an entry in UTF-8, with slashes: from the Unicode Path extra field, or the name itself, whether or
 * not it is marked as UTF-8. Returns `undefined` if it is in another encoding.
 */
export function readUnicodeName(bytes: Uint8Array, extraFields: Uint8Array): string | undefined {
  const name = decode(findUnicodePath(bytes, extraFields) ?? bytes, 'utf-8', true);
  return name?.replaceAll('\\', '/');
}

function findUnicodePath(name: Uint8Array, extraFields: Uint8Array): Uint8Array | undefined {
  const view = new DataView(extraFields.buffer, extraFields.byteOffset, extraFields.byteLength);
  for (let offset = 0; offset + 4 <= extraFields.length; ) {
    const start = offset + 4;
    const end = start + view.getUint16(offset + 2, true);
    const isUnicodePath = view.getUint16(offset, true) === UNICODE_PATH && start + UNICODE_PATH_HEADER_BYTES < end;
    // The checksum differs if a program that does not know the field renamed the entry.
    if (isUnicodePath && end <= extraFields.length && view.getUint32(start + 1, true) === crc32(name))
      return extraFields.subarray(start + UNICODE_PATH_HEADER_BYTES, end);
    offset = end;
  }
  return undefined;
}

/** Returns a name in an encoding, with slashes. Returns `undefined` if it is not valid there. */
export function decodeName(bytes: Uint8Array, encoding: NameEncoding): string | undefined {
  if (encoding === 'cp437') return decodeCp437(bytes);
  return decode(bytes, encoding, encoding !== 'utf-8')?.replaceAll('\\', '/');
}

/**
 * Returns a name in code page 437. A backslash becomes a slash, except after a byte that is not ASCII: it may be the
 * second byte of a character in Shift-JIS, GBK or Big5.
 */
export function decodeCp437(bytes: Uint8Array): string {
  const units = new Uint16Array(bytes.length);
  for (let i = 0; i < bytes.length; i++) {
    const isSlash = bytes[i] === BACKSLASH && !(i > 0 && bytes[i - 1] >= 0x80);
    units[i] = isSlash ? SLASH : CP437_UNITS[bytes[i]];
  }
  return new TextDecoder('utf-16le').decode(units);
}

function decode(bytes: Uint8Array, encoding: string, fatal: boolean): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal }).decode(bytes);
  } catch {
    return undefined; // invalid, or Node.js was built without this encoding
  }
}

/** Returns whether an entry is hidden: its name or one of its folders begins with a dot, or macOS added it. */
export function isHiddenEntry(name: string): boolean {
  return /(^|\/)(\.[^./]|__MACOSX\/)/i.test(name);
}
