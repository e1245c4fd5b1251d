import type { Format } from '../format.js';
import { recognizeThreeMf } from '../zip/recognize-zip.js';
import { WRITTEN_ROLES } from './plan-helpers.js';
import { parseThreeMf } from './three-mf-reader.js';
import { serializeThreeMf } from './three-mf-writer.js';

/** 3MF. */
export const THREE_MF: Format = {
  id: '3mf',
  label: 'a 3MF file',
  extensions: ['3mf'],
  mediaType: 'model/3mf',
  recognizes: recognizeThreeMf,
  archivedExtension: '.model',
  hasUnits: true,
  hasHelpers: true,
  hasPlates: true,
  writtenRoles: WRITTEN_ROLES,
  read: parseThreeMf,
  write: serializeThreeMf,
};
