/** Bytes before the first facet: 80 of header, 4 of facet count. */
export const STL_HEADER_BYTES = 84;
/**
 * Bytes of a facet: a normal and three corners of three float32 each, and an attribute byte count, which is ignored.
 */
export const STL_FACET_BYTES = 50;

/** Returns whether the length equals that of the number of facets declared at byte 80. */
export function isBinaryStlSize(bytes: Uint8Array): boolean {
  if (bytes.length < STL_HEADER_BYTES) return false;
  const count = new DataView(bytes.buffer, bytes.byteOffset).getUint32(80, true);
  return bytes.length === STL_HEADER_BYTES + count * STL_FACET_BYTES;
}
