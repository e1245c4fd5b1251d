import type { Format } from '../format.js';
import { findXmlRoot } from '../recognition/content.js';
import { parseAmf } from './amf-reader.js';
import { serializeAmf } from './amf-writer.js';

/** AMF (ISO/ASTM 52915). */
export const AMF: Format = {
  id: 'amf',
  label: 'an AMF file',
  extensions: ['amf'],
  mediaType: 'application/x-amf',
  recognizes: (content) => findXmlRoot(content)?.toLowerCase() === 'amf',
  archivedExtension: '.amf',
  hasUnits: true,
  hasHelpers: true,
  read: parseAmf,
  write: serializeAmf,
};
