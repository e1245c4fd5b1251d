import type { Format } from '../format.js';
import { parseObj } from './obj-reader.js';
import { serializeObj } from './obj-writer.js';

/** Wavefront OBJ. */
export const OBJ: Format = {
  id: 'obj',
  extensions: ['obj'],
  mediaType: 'model/obj',
  hasUnits: false,
  read: parseObj,
  write: serializeObj,
};
