import type { Format } from '../format.js';
import { findXmlRoot } from '../recognition/content.js';
import { parseVrml, parseX3d } from './x3d-reader.js';

/** VRML 97 (ISO/IEC 14772), and the classic encoding of X3D. */
export const VRML: Format = {
  id: 'wrl',
  label: 'a VRML file',
  extensions: ['wrl', 'vrml'],
  mediaType: 'model/vrml',
  recognizes: ({ start }) => /^#(?:VRML|X3D) V\d/.test(start),
  hasUnits: true,
  read: parseVrml,
};

/** X3D (ISO/IEC 19775) as XML. */
export const X3D: Format = {
  id: 'x3d',
  label: 'an X3D file',
  extensions: ['x3d'],
  mediaType: 'model/x3d+xml',
  recognizes: (content) => findXmlRoot(content) === 'X3D',
  hasUnits: true,
  read: parseX3d,
};
