import { type ParseOptions, parseWith } from '../../../src/mesh/formats/parse-model.js';
import { importFormatOf } from '../../../src/mesh/formats/registry.js';

/** Parses a file with a built-in reader: `parseModel` without the promise. */
export function parseOwn(bytes: Uint8Array, options: ParseOptions) {
  return parseWith(importFormatOf(options.filename)?.read, bytes, options);
}
