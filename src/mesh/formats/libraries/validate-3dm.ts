const HEAD_BYTES = 32;
const MAGIC = '3D Geometry File Format ';
/** From Rhino 5 on lengths have eight bytes. */
const FIRST_64_BIT_VERSION = 50;
const END_OF_FILE = 0x7fff;
/** A chunk of this kind holds a number in the place of its length, and nothing follows. */
const SHORT_CHUNK = 0x80000000;

/**
 * Whether the chunks of a 3DM follow each other up to its end, as far as can be told: those of files older than Rhino 5 are believed. The library
 * searches a file for ever whose chunks do not.
 */
export function isComplete3dm(bytes: Uint8Array): boolean {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const head = file.toString('latin1', 0, HEAD_BYTES);
  if (!head.startsWith(MAGIC)) return false;
  const version = Number(head.slice(MAGIC.length));
  if (version < FIRST_64_BIT_VERSION) return true;
  let offset = HEAD_BYTES;
  while (offset + 12 <= file.length) {
    const type = file.readUInt32LE(offset);
    const length = Number(file.readBigUInt64LE(offset + 4));
    if (type === END_OF_FILE) return offset + 12 + length <= file.length;
    offset += 12 + ((type & SHORT_CHUNK) === 0 ? length : 0);
  }
  return false;
}
