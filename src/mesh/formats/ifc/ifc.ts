import type { Format } from '../format.js';
import { recognizeIfc } from '../recognition/recognize-step.js';
import { loadIfc } from './load-ifc.js';

/** IFC (ISO 16739). */
export const IFC: Format = {
  id: 'ifc',
  label: 'an IFC file',
  extensions: ['ifc'],
  mediaType: 'application/x-step',
  recognizes: recognizeIfc,
  hasUnits: true,
  needsPackage: 'web-ifc',
  loadReader: loadIfc,
};
