import type { Report, Verdict } from '../../api/index.js';
import type { Fields } from './read-fields.js';

/**
 * Returns a value as a report if it has a verdict and warnings, else `undefined`. Its other fields are not validated.
 */
export function readReport(value: unknown): Report | undefined {
  const { verdict, warnings }: Fields = Object(value);
  if (!readVerdict(verdict) || !Array.isArray(warnings)) return undefined;
  // The unvalidated fields are only shown to users.
  return value as Report;
}

/** Returns a value as a verdict if it has a level and reasons, else `undefined`. */
export function readVerdict(value: unknown): Verdict | undefined {
  const { level, reasons }: Fields = Object(value);
  return typeof level === 'string' && Array.isArray(reasons) ? (value as Verdict) : undefined;
}
