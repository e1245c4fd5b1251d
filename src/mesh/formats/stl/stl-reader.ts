import type { OnProgress } from '../../core/mesh.js';
import { MeshError } from '../../core/mesh-error.js';
import type { ParsedModel } from '../format.js';
import { parseStlAscii } from './stl-ascii.js';
import { parseStlBinary } from './stl-binary.js';
import { isBinaryStlSize, STL_HEADER_BYTES } from './stl-layout.js';

const SNIFF_BYTES = 4096;

/**
 * Parses an STL, binary or ASCII. Many binary files also begin with `solid`, so an exact length is tested first, then
 * the keywords.
 */
export function parseStl(bytes: Uint8Array, onProgress?: OnProgress): ParsedModel {
  if (isBinaryStlSize(bytes)) return parseStlBinary(bytes, onProgress);
  if (isText(bytes)) return parseStlAscii(bytes, onProgress);
  if (bytes.length <= STL_HEADER_BYTES) {
    throw new MeshError(
      'FILE_MALFORMED',
      `Invalid STL: ${bytes.length} bytes that are neither text nor a binary facet.`,
    );
  }
  return parseStlBinary(bytes, onProgress);
}

/**
 * Returns whether keywords of an ASCII STL occur near the start. `solid` alone does not suffice; `facet`, `vertex` or
 * `endsolid` has to follow.
 */
function isText(bytes: Uint8Array): boolean {
  const encoding =
    bytes[0] === 0xff && bytes[1] === 0xfe
      ? 'utf-16le'
      : bytes[0] === 0xfe && bytes[1] === 0xff
        ? 'utf-16be'
        : 'latin1';
  const start = new TextDecoder(encoding).decode(bytes.subarray(0, SNIFF_BYTES));
  return /^[^a-z]*(solid|facet)\b/i.test(start) && /\b(facet|vertex|endsolid)\b/i.test(start) && !start.includes('\0');
}
