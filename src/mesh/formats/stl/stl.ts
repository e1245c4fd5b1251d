import type { Format } from '../format.js';
import { recognizeStl } from './recognize-stl.js';
import { serializeStlAscii } from './stl-ascii-writer.js';
import { serializeStlBinary } from './stl-binary-writer.js';
import { isBinaryStl, parseStl } from './stl-reader.js';

/** STL. It is written in binary. A binary file is recognized by its length, whatever its header contains. */
export const STL: Format = {
  id: 'stl',
  label: 'an STL file',
  extensions: ['stl'],
  mediaType: 'model/stl',
  recognizes: recognizeStl,
  hasUnits: false,
  isFloat32: true,
  unitesObjects: true,
  isBinary: isBinaryStl,
  read: parseStl,
  write: serializeStlBinary,
};

/** ASCII STL, for export only: `STL` reads it. */
export const STL_ASCII: Format = {
  id: 'stl-ascii',
  label: 'an STL file',
  extensions: ['stl'],
  mediaType: 'model/stl',
  hasUnits: false,
  write: serializeStlAscii,
};
