import type { OnProgress } from '../../core/mesh.js';
import { MeshError } from '../../core/mesh-error.js';
import type { ParsedModel } from '../format.js';
import { decodeText } from '../text/decode-text.js';
import { parseStlAscii } from './stl-ascii.js';
import { parseStlBinary } from './stl-binary.js';
import { isBinaryStlSize, STL_HEADER_BYTES } from './stl-layout.js';

const SNIFF_BYTES = 4096;

/** Parses an STL, binary or ASCII. */
export function parseStl(bytes: Uint8Array, onProgress?: OnProgress): ParsedModel {
  if (!isBinaryStl(bytes)) return parseStlAscii(bytes, onProgress);
  if (bytes.length <= STL_HEADER_BYTES && !isBinaryStlSize(bytes)) {
    throw new MeshError(
      'FILE_MALFORMED',
      `Invalid STL: ${bytes.length} bytes that are neither text nor a binary facet.`,
    );
  }
  return parseStlBinary(bytes, onProgress);
}

/**
 * Returns whether an STL is binary. Many binary files also begin with `solid`, so an exact length is tested first, then
 * the keywords.
 */
export function isBinaryStl(bytes: Uint8Array): boolean {
  return isBinaryStlSize(bytes) || !hasAsciiKeywords(decodeText(bytes));
}

/**
 * Returns whether keywords of an ASCII STL occur near the start. `solid` alone does not suffice; `facet`, `vertex` or
 * `endsolid` has to follow.
 */
function hasAsciiKeywords(text: Uint8Array): boolean {
  const start = new TextDecoder('latin1').decode(text.subarray(0, SNIFF_BYTES));
  return /^[^a-z]*(solid|facet)\b/i.test(start) && /\b(facet|vertex|endsolid)\b/i.test(start) && !start.includes('\0');
}
