import type { Format } from '../format.js';
import { loadRhino } from './load-rhino.js';

/** Rhino 3DM. */
export const RHINO: Format = {
  id: '3dm',
  label: 'a Rhino 3DM file',
  extensions: ['3dm'],
  mediaType: 'model/vnd.3dm',
  recognizes: ({ start }) => start.startsWith('3D Geometry File Format '),
  hasUnits: true,
  loadReader: loadRhino,
};
