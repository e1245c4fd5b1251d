import type { Format } from '../format.js';
import { parseVrml, parseX3d } from './x3d-reader.js';

/** VRML 97 (ISO/IEC 14772), and the classic encoding of X3D. */
export const VRML: Format = {
  id: 'wrl',
  extensions: ['wrl', 'vrml'],
  mediaType: 'model/vrml',
  hasUnits: true,
  read: parseVrml,
};

/** X3D (ISO/IEC 19775) as XML. */
export const X3D: Format = {
  id: 'x3d',
  extensions: ['x3d'],
  mediaType: 'model/x3d+xml',
  hasUnits: true,
  acceptsContent: () => true,
  read: parseX3d,
};
