import type { Format } from '../format.js';
import { parsePly } from './ply-reader.js';
import { serializePly } from './ply-writer.js';

/** PLY of Stanford University. */
export const PLY: Format = {
  id: 'ply',
  label: 'a PLY file',
  extensions: ['ply'],
  mediaType: 'model/ply',
  recognizes: ({ start }) => /^ply\s*[\r\n]/i.test(start),
  hasUnits: false,
  read: parsePly,
  write: serializePly,
};
