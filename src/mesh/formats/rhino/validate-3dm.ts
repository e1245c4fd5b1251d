const HEADER_BYTES = 32;
const MAGIC = '3D Geometry File Format ';
/** Since Rhino 5, lengths have eight bytes. */
const FIRST_64_BIT_VERSION = 50;
const END_OF_FILE = 0x7fff;
/** A chunk of this kind stores a value in place of its length, and has no content. */
const SHORT_CHUNK = 0x80000000;

/**
 * Returns whether the chunks of a 3DM are contiguous up to its end. Files older than Rhino 5 are assumed to be valid.
 * rhino3dm searches an inconsistent file forever.
 */
export function isComplete3dm(bytes: Uint8Array): boolean {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const header = file.toString('latin1', 0, HEADER_BYTES);
  if (!header.startsWith(MAGIC)) return false;
  const version = Number(header.slice(MAGIC.length));
  if (version < FIRST_64_BIT_VERSION) return true;
  let offset = HEADER_BYTES;
  while (offset + 12 <= file.length) {
    const type = file.readUInt32LE(offset);
    const length = Number(file.readBigUInt64LE(offset + 4));
    if (type === END_OF_FILE) return offset + 12 + length <= file.length;
    offset += 12 + ((type & SHORT_CHUNK) === 0 ? length : 0);
  }
  return false;
}
