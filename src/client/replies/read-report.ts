import type { Report, Verdict } from '../../api/index.js';
import type { Fields } from './read-fields.js';

/** A report, where the value is one; a service may send none. What a report holds beyond its verdict and warnings is not looked at. */
export function readReport(value: unknown): Report | undefined {
  const { verdict, warnings }: Fields = Object(value);
  if (!readVerdict(verdict) || !Array.isArray(warnings)) return undefined;
  // The rest is told to people and never worked with.
  return value as Report;
}

/** A verdict, where the value is one. */
export function readVerdict(value: unknown): Verdict | undefined {
  const { level, reasons }: Fields = Object(value);
  return typeof level === 'string' && Array.isArray(reasons) ? (value as Verdict) : undefined;
}
