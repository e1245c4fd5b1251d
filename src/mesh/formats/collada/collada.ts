import type { Format } from '../format.js';
import { parseCollada } from './collada-reader.js';
import { unpackZae } from './zae.js';

/** Collada. */
export const COLLADA: Format = {
  id: 'dae',
  extensions: ['dae'],
  mediaType: 'model/vnd.collada+xml',
  hasUnits: true,
  acceptsContent: () => true,
  read: parseCollada,
};

/** Collada in a ZIP archive. */
export const ZAE: Format = {
  id: 'zae',
  extensions: ['zae'],
  mediaType: 'application/x-zae',
  hasUnits: true,
  acceptsContent: () => true,
  read: (bytes, onProgress) => parseCollada(unpackZae(bytes), onProgress),
};
