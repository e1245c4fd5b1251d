import type { Format } from '../format.js';
import { loadRhino } from './load-rhino.js';

/** Rhino 3DM. */
export const RHINO: Format = {
  id: '3dm',
  extensions: ['3dm'],
  mediaType: 'model/vnd.3dm',
  hasUnits: true,
  loadReader: loadRhino,
};
