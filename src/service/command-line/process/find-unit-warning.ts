import type { Analysis, MeasurementUnit } from '../../../api/index.js';
import type { ReportWarning } from '../../../mesh/analysis/report.js';
import { importFormatOf } from '../../../mesh/formats/registry.js';

// The range of the largest dimension, and the text, are those of the nodes (nodes/shared/message/unit-plausibility.ts),
// which import nothing of the service. A test holds them equal.
const MIN_PLAUSIBLE_MM = 1;
const MAX_PLAUSIBLE_MM = 2000;

/**
 * Returns the warning `UNITS_DOUBTFUL` if the size of an imported model is implausible, since it was most likely
 * imported in the wrong unit. `unit` is the one that its coordinates were read in if its file declares none.
 */
export function findUnitWarning(
  { dimensionXMm, dimensionYMm, dimensionZMm }: Analysis,
  filename: string,
  unit: MeasurementUnit,
): ReportWarning | undefined {
  const largest = Math.max(dimensionXMm, dimensionYMm, dimensionZMm);
  if (!(largest > 0) || (largest >= MIN_PLAUSIBLE_MM && largest <= MAX_PLAUSIBLE_MM)) return undefined;
  const text = `${Number(largest.toPrecision(3))} mm`;
  const message = `The largest dimension of the model is ${text}. ${createRemedy(filename, unit)}; nothing was rescaled.`;
  return { code: 'UNITS_DOUBTFUL', message };
}

function createRemedy(filename: string, unit: MeasurementUnit): string {
  const format = importFormatOf(filename);
  // The model in a ZIP may declare a unit or not.
  if (format?.id === 'zip') return 'Check the unit of the model in the ZIP';
  return format?.hasUnits ? 'Check the unit that the file declares' : `Check whether the file is really in ${unit}`;
}
