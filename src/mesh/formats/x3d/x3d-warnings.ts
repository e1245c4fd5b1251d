import type { ReportWarning } from '../../analysis/report.js';

const MAX_NAMES = 10;
const MAX_NAME_LENGTH = 64;

/** Returns the warning for types of shapes that are not read, or nothing if there are none. */
export function shapesDroppedWarning(types: ReadonlySet<string>): ReportWarning[] {
  if (types.size === 0) return [];
  return [{ code: 'SHAPES_DROPPED', message: `Shapes of these types are not imported: ${listNames(types)}.` }];
}

/** Returns the warning for instances of prototypes that a file does not contain, or nothing if there are none. */
export function missingPrototypesWarning(names: ReadonlySet<string>): ReportWarning[] {
  if (names.size === 0) return [];
  const message = `Prototypes that the file does not contain were skipped: ${listNames(names)}.`;
  return [{ code: 'OBJECTS_MISSING', message }];
}

/** Lists names for a message: at most ten, because a file may have any number. */
function listNames(names: ReadonlySet<string>): string {
  const listed = Array.from(names, (name) => name.slice(0, MAX_NAME_LENGTH) || 'without a name');
  listed.sort((a, b) => (a < b ? -1 : 1));
  const more = listed.length > MAX_NAMES ? [`${listed.length - MAX_NAMES} more`] : [];
  return [...listed.slice(0, MAX_NAMES), ...more].join(', ');
}
