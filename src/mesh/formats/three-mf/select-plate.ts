import type { ReportWarning } from '../../analysis/report.js';
import { MeshError } from '../../core/mesh-error.js';
import type { PlateSelection } from '../format.js';
import type { SlicerPlate } from './slicer-config.js';

/** Plates on which there is something are named up to this number. */
const MAX_NAMED_PLATES = 30;

/**
 * Selects the plates of a project to read. Returns one if there is a choice, and the warning that names them all. Throws
 * `PLATE_UNKNOWN` for a plate that does not exist or is empty. A file without plates has one.
 */
export function selectPlate(
  plates: readonly SlicerPlate[],
  selection: PlateSelection,
): { plate?: SlicerPlate; warnings: ReportWarning[] } {
  const used = plates.filter(({ instances }) => instances.size > 0);
  const names = formatPlates(used);
  if (selection === 'all') {
    if (used.length < 2) return { warnings: [] };
    const message = `The file has ${used.length} plates, which are read as one model: ${names}. Select one by the parameter plate.`;
    return { warnings: [{ code: 'PLATES_COMBINED', message }] };
  }
  const plate = used.find(({ number }) => number === selection);
  if (!plate) {
    if (used.length === 0 && selection === 1) return { warnings: [] };
    const known = used.length > 0 ? `the plates with objects are ${names}` : 'the file has no plates';
    throw new MeshError(
      'PLATE_UNKNOWN',
      `Could not find plate ${selection}: ${known}. ${used.length > 0 ? 'Select one of them' : 'Leave out the parameter plate'}.`,
    );
  }
  const others = used.filter((other) => other !== plate);
  if (others.length === 0) return { plate, warnings: [] };
  const message = `One of ${used.length} plates was read: ${formatPlate(plate)}. The others are ${formatPlates(others)}.`;
  return { plate, warnings: [{ code: 'PLATE_SELECTED', message }] };
}

function formatPlates(plates: readonly SlicerPlate[]): string {
  const named = plates.slice(0, MAX_NAMED_PLATES).map(formatPlate);
  return `${named.join(', ')}${plates.length > MAX_NAMED_PLATES ? ', …' : ''}`;
}

function formatPlate({ number, name }: SlicerPlate): string {
  return name === '' ? String(number) : `${number} “${name.slice(0, 80)}”`;
}
