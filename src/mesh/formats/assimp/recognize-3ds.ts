import type { Content } from '../recognition/content.js';

const MAIN = 0x4d4d;
/** The chunks that may be the first in the main one: version, mesh data, key frames. */
const FIRST_CHUNKS = [0x0002, 0x3d3d, 0xb000];

/** Returns whether content is a 3DS: a main chunk of the length of the file. */
export function recognizeThreeDs({ bytes }: Content): boolean {
  if (bytes.length < 12) return false;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const hasOwnLength = view.getUint16(0, true) === MAIN && view.getUint32(2, true) === bytes.length;
  return hasOwnLength && FIRST_CHUNKS.includes(view.getUint16(6, true));
}
