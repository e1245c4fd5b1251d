import type { Content } from './content.js';

/** The beginning of a STEP exchange file (ISO 10303-21), after comments. */
const EXCHANGE_FILE = /^(?:\/\*[^*]*\*\/\s*)*ISO-10303-21;/;
const IFC_SCHEMA = /FILE_SCHEMA\s*\(\s*\(\s*'IFC/i;

/** Returns whether content is a STEP file, and no IFC. */
export function recognizeStep({ start }: Content): boolean {
  return EXCHANGE_FILE.test(start) && !IFC_SCHEMA.test(start);
}

/** Returns whether content is an IFC, which is a STEP file of its own schema. */
export function recognizeIfc({ start }: Content): boolean {
  return EXCHANGE_FILE.test(start) && IFC_SCHEMA.test(start);
}
