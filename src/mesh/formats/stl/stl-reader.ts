import type { OnProgress } from '../../core/mesh.js';
import { MeshError } from '../../core/mesh-error.js';
import type { ParsedModel } from '../format.js';
import { decodeText } from '../text/decode-text.js';
import { parseStlAscii } from './stl-ascii.js';
import { parseStlBinary } from './stl-binary.js';
import { isBinaryStlSize, STL_HEADER_BYTES } from './stl-layout.js';

const SNIFF_BYTES = 4096;
/** The longest keyword that a boundary between two ranges of the text may split. */
const MAX_KEYWORD_BYTES = 8;

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
 * Returns whether a text begins with a keyword of an ASCII STL and `facet`, `vertex` or `endsolid` occurs before the
 * first NUL. The name after `solid` may have any length, so ranges are searched until one of them is found.
 */
function hasAsciiKeywords(text: Uint8Array): boolean {
  const decoder = new TextDecoder('latin1');
  for (let start = 0; start < text.length; start += SNIFF_BYTES) {
    const range = decoder.decode(text.subarray(Math.max(0, start - MAX_KEYWORD_BYTES - 1), start + SNIFF_BYTES));
    const [searched] = range.split('\0', 1);
    if (start === 0 && !/^[^a-z]*(solid|facet)\b/i.test(searched)) return false;
    if (/\b(facet|vertex|endsolid)\b/i.test(searched)) return true;
    if (searched.length < range.length) return false;
  }
  return false;
}
