import type { Format } from '../format.js';
import { findXmlRoot } from '../recognition/content.js';
import { parseCollada } from './collada-reader.js';
import { unpackZae } from './zae.js';

/** Collada. */
export const COLLADA: Format = {
  id: 'dae',
  label: 'a Collada file',
  extensions: ['dae'],
  mediaType: 'model/vnd.collada+xml',
  recognizes: (content) => findXmlRoot(content) === 'COLLADA',
  hasUnits: true,
  read: parseCollada,
};

/** Collada in a ZIP archive. */
export const ZAE: Format = {
  id: 'zae',
  label: 'a Collada archive',
  extensions: ['zae'],
  mediaType: 'application/x-zae',
  archivedExtension: '.dae',
  hasUnits: true,
  read: (bytes, onProgress) => parseCollada(unpackZae(bytes), onProgress),
};
