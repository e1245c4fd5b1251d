import { createSelect } from '../dom.js';
import { readSetting } from '../settings.js';
import { texts } from '../texts/current.js';

/** Returns the unit that was chosen last; an empty text if none was. */
export function preferredUnit(units: readonly string[]): string {
  const unit = readSetting('unit') ?? '';
  return units.includes(unit) ? unit : '';
}

/** Creates the choice of the unit of files that state none. Its first value is empty: the unit is not known. */
export function createUnitSelect(units: readonly string[], onChange?: (unit: string) => void): HTMLSelectElement {
  const known = units.map((unit) => [unit, texts().values[unit] ?? unit] as const);
  return createSelect([['', texts().drop.unknownUnit], ...known], preferredUnit(units), onChange);
}
