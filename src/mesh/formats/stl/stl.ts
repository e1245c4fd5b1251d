import type { OnProgress } from '../../core/mesh.js';
import { MeshError } from '../../core/mesh-error.js';
import type { ParsedModel } from '../parsed-model.js';
import { parseStlAscii } from './stl-ascii.js';
import { parseStlBinary, STL_FACET_BYTES, STL_HEAD_BYTES } from './stl-binary.js';

const LOOKED_AT = 4096;

/** Reads an STL, binary or ASCII. Many binary ones begin with `solid` too: an exact length decides first, then the words. */
export function parseStl(bytes: Uint8Array, onProgress?: OnProgress): ParsedModel {
  if (isBinaryStlSize(bytes)) return parseStlBinary(bytes, onProgress);
  if (isText(bytes)) return parseStlAscii(bytes, onProgress);
  if (bytes.length <= STL_HEAD_BYTES) {
    throw new MeshError(
      'FILE_MALFORMED',
      `Neither a binary nor an ASCII STL: ${bytes.length} bytes, none of them a facet`,
    );
  }
  return parseStlBinary(bytes, onProgress);
}

/** Whether the count at byte 80 fits the length to the byte. */
export function isBinaryStlSize(bytes: Uint8Array): boolean {
  if (bytes.length < STL_HEAD_BYTES) return false;
  const count = new DataView(bytes.buffer, bytes.byteOffset).getUint32(80, true);
  return bytes.length === STL_HEAD_BYTES + count * STL_FACET_BYTES;
}

/** Whether the words of an ASCII STL stand near the start: `solid` alone proves nothing, `facet` or `endsolid` after it does. */
function isText(bytes: Uint8Array): boolean {
  const encoding =
    bytes[0] === 0xff && bytes[1] === 0xfe
      ? 'utf-16le'
      : bytes[0] === 0xfe && bytes[1] === 0xff
        ? 'utf-16be'
        : 'latin1';
  const start = new TextDecoder(encoding).decode(bytes.subarray(0, LOOKED_AT));
  return /^[^a-z]*(solid|facet)\b/i.test(start) && /\b(facet|vertex|endsolid)\b/i.test(start) && !start.includes('\0');
}
