import type { ReportWarning } from '../../analysis/report.js';

/** A STEP file (ISO 10303-21), such as an IFC, ends with this keyword. */
const END = 'END-ISO-10303-21';
/** The keyword is searched in so many bytes before the end: programs append line ends and comments. */
const END_RANGE_BYTES = 4096;

/** Returns a warning if the file ends before its end is marked: later entities are missing. */
export function listStepTruncation(bytes: Uint8Array): ReportWarning[] {
  const end = new TextDecoder('latin1').decode(bytes.subarray(-END_RANGE_BYTES));
  if (end.toUpperCase().includes(END)) return [];
  return [{ code: 'TRUNCATED', message: `The file ends before ${END}; only complete entities were read.` }];
}
