import type { Format } from '../format.js';
import { serializeStlAscii } from './stl-ascii-writer.js';
import { serializeStlBinary } from './stl-binary-writer.js';
import { isBinaryStlSize } from './stl-layout.js';
import { isBinaryStl, parseStl } from './stl-reader.js';

/** STL. It is written in binary. A binary file is recognized by its length, whatever its header contains. */
export const STL: Format = {
  id: 'stl',
  extensions: ['stl'],
  mediaType: 'model/stl',
  hasUnits: false,
  isFloat32: true,
  unitesObjects: true,
  acceptsContent: isBinaryStlSize,
  isBinary: isBinaryStl,
  read: parseStl,
  write: serializeStlBinary,
};

/** ASCII STL, for export only: `STL` reads it. */
export const STL_ASCII: Format = {
  id: 'stl-ascii',
  extensions: ['stl'],
  mediaType: 'model/stl',
  hasUnits: false,
  write: serializeStlAscii,
};
