import type { Format } from '../format.js';
import { parseOff } from './off-reader.js';
import { serializeOff } from './off-writer.js';

/** OFF of Geomview. */
export const OFF: Format = {
  id: 'off',
  label: 'an OFF file',
  extensions: ['off'],
  mediaType: 'model/off',
  recognizes: ({ start }) => /^(?:#[^\n]*\n\s*)*(?:st|c|n|4)*off\s*(?:binary\s+|#[^\n]*\n\s*)*\d/i.test(start),
  hasUnits: false,
  read: parseOff,
  write: serializeOff,
};
