import type { Format } from '../format.js';
import { parseOff } from './off-reader.js';
import { serializeOff } from './off-writer.js';

/** OFF of Geomview. */
export const OFF: Format = {
  id: 'off',
  extensions: ['off'],
  mediaType: 'model/off',
  hasUnits: false,
  read: parseOff,
  write: serializeOff,
};
