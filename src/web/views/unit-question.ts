import type { Report } from '../../api/index.js';
import { createButton, createElement } from '../dom.js';
import { largestOf, listPlausibleUnits } from '../models/plausible-units.js';
import { fill, formatMeasure, texts } from '../texts/current.js';

/** Formats a length in the unit in which it has one to three digits before the point. */
function formatLength(mm: number): string {
  if (mm < 10) return `${formatMeasure(mm)} mm`;
  return mm < 1000 ? `${formatMeasure(mm / 10)} cm` : `${formatMeasure(mm / 1000)} m`;
}

/** Creates the question for the unit of a file, with a button for each plausible one. `read` reads the file in a unit. */
export function createUnitQuestion(
  { after }: Report,
  unitsInMm: Readonly<Record<string, number>>,
  read: (unit: string) => void,
): HTMLElement {
  const { unitQuestion, values } = texts();
  const sizeMm = largestOf(after);
  const choices = listPlausibleUnits(sizeMm, after.volumeMm3, unitsInMm).map((unit) => {
    const size = formatLength(sizeMm * (unitsInMm[unit] ?? 1));
    const label = fill(unitQuestion.meant, { size, unit: values[unit] ?? unit });
    return createButton(label, () => read(unit), { key: `unit-${unit}` });
  });
  const confirmed = fill(unitQuestion.confirmed, { size: formatLength(sizeMm) });
  return createElement(
    'div',
    { className: 'unit-question' },
    createElement('p', {}, fill(unitQuestion.size, { size: formatLength(sizeMm) })),
    createElement(
      'div',
      { className: 'buttons' },
      ...choices,
      createButton(confirmed, () => read('mm'), { key: 'unit-mm', className: 'quiet' }),
    ),
  );
}
