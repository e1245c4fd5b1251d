import type { Format } from '../format.js';
import { parseObj } from './obj-reader.js';
import { serializeObj } from './obj-writer.js';
import { recognizeObj } from './recognize-obj.js';

/** Wavefront OBJ. */
export const OBJ: Format = {
  id: 'obj',
  label: 'an OBJ file',
  extensions: ['obj'],
  mediaType: 'model/obj',
  recognizes: recognizeObj,
  hasUnits: false,
  read: parseObj,
  write: serializeObj,
};
