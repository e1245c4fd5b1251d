import { type ParseOptions, parseModelSync } from '../../../src/mesh/formats/parse-model.js';

/** Parses a file with a built-in reader: `parseModel` without the promise. */
export function parseOwn(bytes: Uint8Array, options: ParseOptions) {
  return parseModelSync(bytes, options);
}
