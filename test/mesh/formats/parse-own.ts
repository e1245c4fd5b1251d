import { BUILT_IN_READERS } from '../../../src/mesh/formats/built-in-readers.js';
import { type ParseOptions, parseWith } from '../../../src/mesh/formats/parse-model.js';

/** Parses a file with a built-in reader: `parseModel` without the promise. */
export function parseOwn(bytes: Uint8Array, options: ParseOptions) {
  return parseWith(BUILT_IN_READERS, bytes, options);
}
