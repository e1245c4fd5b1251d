import { BUILT_IN_READERS } from '../../../src/mesh/formats/built-in-readers.js';
import { type ParseOptions, parseWith } from '../../../src/mesh/formats/parse-model.js';

/** Reads a file of a format whose reader is our own: `parseModel` without the wait. */
export const parseOwn = (bytes: Uint8Array, options: ParseOptions) => parseWith(BUILT_IN_READERS, bytes, options);
