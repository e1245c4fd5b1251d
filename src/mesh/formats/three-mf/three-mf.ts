import type { Format } from '../format.js';
import { WRITTEN_ROLES } from './plan-helpers.js';
import { parseThreeMf } from './three-mf-reader.js';
import { serializeThreeMf } from './three-mf-writer.js';

/** 3MF. */
export const THREE_MF: Format = {
  id: '3mf',
  extensions: ['3mf'],
  mediaType: 'model/3mf',
  hasUnits: true,
  hasHelpers: true,
  hasPlates: true,
  writtenRoles: WRITTEN_ROLES,
  acceptsContent: () => true,
  read: parseThreeMf,
  write: serializeThreeMf,
};
