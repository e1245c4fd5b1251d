/** Converts UTF-16 with a byte order mark to UTF-8. Returns any other input unchanged. */
export function decodeUtf16(bytes: Uint8Array): Uint8Array {
  const isLittle = bytes[0] === 0xff && bytes[1] === 0xfe;
  const isBig = bytes[0] === 0xfe && bytes[1] === 0xff;
  if (!isLittle && !isBig) return bytes;
  return new TextEncoder().encode(new TextDecoder(isLittle ? 'utf-16le' : 'utf-16be').decode(bytes));
}
