import type { Format } from '../format.js';
import { loadIfc } from './load-ifc.js';

/** IFC (ISO 16739). */
export const IFC: Format = {
  id: 'ifc',
  extensions: ['ifc'],
  mediaType: 'application/x-step',
  hasUnits: true,
  needsPackage: 'web-ifc',
  loadReader: loadIfc,
};
