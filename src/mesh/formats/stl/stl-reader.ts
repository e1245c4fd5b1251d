import type { OnProgress } from '../../core/mesh.js';
import { MeshError } from '../../core/mesh-error.js';
import type { ParsedModel } from '../format.js';
import { decodeText } from '../text/decode-text.js';
import { parseStlAscii } from './stl-ascii.js';
import { parseStlBinary } from './stl-binary.js';
import { isBinaryStlSize, STL_HEADER_BYTES } from './stl-layout.js';

// Dialects that are accepted, and what writes them:
//
// | dialect                                                          | written by                           |
// | ---------------------------------------------------------------- | ------------------------------------ |
// | binary whose header begins with `solid`                          | SolidWorks, programs that keep names |
// | binary whose count is 0, too small or too large                  | ZanderCAD, programs that write once  |
// | binary with bytes after the facets                               | programs that append their data      |
// | `end loop`, `end_loop`, `end facet`, `end solid`                 | mesh generators, CAD macros          |
// | no `outer loop` and `endloop`, no `endfacet`, no normals         | scripts                              |
// | facets without `solid` and `endsolid`                            | scripts, parts of a file             |
// | other text before `solid`; comments after `#`, `;`, `//` or `!`  | scripts that note their origin       |
// | loops of more than three corners                                 | programs that keep quads             |
// | capitals, tabs, CR, decimal commas, UTF-16, a DOS end of file    | old or localized Windows programs    |
// | several solids; a color after a semicolon in the name            | OpenFOAM; Magics                     |
//
// Assimp reads the same triangles, but no text with capitals, without `solid` or with other text before it.

const SNIFF_BYTES = 4096;
/** Several corners, so that one is never split between two ranges alone. */
const OVERLAP_BYTES = 512;
/** A corner of a facet, in words. */
export const CORNER = /\bvertex(?:\s+[-+]?[.,]?\d\S*){2}\s+[-+]?[.,]?\d/i;
// biome-ignore lint/suspicious/noControlCharactersInRegex: text contains none of these, but a DOS end of file may follow it
const BINARY = /[\x00-\x08\x0e-\x19\x1b-\x1f]/;

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

/** Returns whether an STL is binary: its length is that of the declared number of facets, or it is no text. */
export function isBinaryStl(bytes: Uint8Array): boolean {
  return isBinaryStlSize(bytes) || !isText(decodeText(bytes));
}

/**
 * Returns whether a file is text: a corner occurs in words before or near the first control character, or there is no
 * such character. What precedes the first corner may have any length, so ranges are searched until one decides.
 */
function isText(bytes: Uint8Array): boolean {
  const decoder = new TextDecoder('latin1');
  for (let start = 0; start < bytes.length; start += SNIFF_BYTES) {
    const range = decoder.decode(bytes.subarray(Math.max(0, start - OVERLAP_BYTES), start + SNIFF_BYTES));
    if (CORNER.test(range)) return true;
    if (BINARY.test(range)) return false;
  }
  return true;
}
