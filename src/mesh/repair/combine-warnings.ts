import type { ReportWarning } from '../analysis/report.js';

/** At most this many warnings of a code are listed one by one. */
const MAX_WARNINGS_PER_CODE = 10;
/** At most this many names are listed. */
const MAX_NAMES = 20;

/** The warnings about a part of a model. */
export interface PartWarnings {
  name: string;
  warnings: readonly ReportWarning[];
}

/**
 * Combines the warnings about parts. Each names its part; the last one of many of a code says how many more parts have
 * it.
 */
export function combineWarnings(parts: readonly PartWarnings[]): ReportWarning[] {
  const all = parts.flatMap(({ name, warnings }) => warnings.map((warning) => ({ name, ...warning })));
  const codes = new Set(all.map(({ code }) => code));
  return [...codes].flatMap((code) => {
    const same = all.filter((warning) => warning.code === code);
    const moreCount = same.length - MAX_WARNINGS_PER_CODE;
    return same.slice(0, MAX_WARNINGS_PER_CODE).map(({ name, message }, i): ReportWarning => {
      const others = i === MAX_WARNINGS_PER_CODE - 1 && moreCount > 0 ? `, as in ${moreCount} others` : '';
      return { code, message: `Part “${name}”${others}: ${message}` };
    });
  });
}

/** Lists names in a sentence: the first 20 of them, and how many more there are. */
export function listNames(names: readonly string[]): string {
  const listed = names.slice(0, MAX_NAMES).join(', ');
  return names.length > MAX_NAMES ? `${listed} and ${names.length - MAX_NAMES} others` : listed;
}
