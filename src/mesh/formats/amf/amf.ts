import type { Format } from '../format.js';
import { parseAmf } from './amf-reader.js';
import { serializeAmf } from './amf-writer.js';

/** AMF (ISO/ASTM 52915). */
export const AMF: Format = {
  id: 'amf',
  extensions: ['amf'],
  mediaType: 'application/x-amf',
  hasUnits: true,
  hasHelpers: true,
  acceptsContent: () => true,
  read: parseAmf,
  write: serializeAmf,
};
