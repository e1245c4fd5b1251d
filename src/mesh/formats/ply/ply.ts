import type { Format } from '../format.js';
import { parsePly } from './ply-reader.js';
import { serializePly } from './ply-writer.js';

/** PLY of Stanford University. */
export const PLY: Format = {
  id: 'ply',
  extensions: ['ply'],
  mediaType: 'model/ply',
  hasUnits: false,
  read: parsePly,
  write: serializePly,
};
