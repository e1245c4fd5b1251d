import type { Analysis, MeasurementUnit, ReportWarning } from '../../../api/index.js';

// The range of the largest dimension, and the text, are those of the nodes (nodes/shared/message/unit-plausibility.ts),
// which import nothing of the service. A test holds them equal.
const MIN_PLAUSIBLE_MM = 1;
const MAX_PLAUSIBLE_MM = 2000;

/**
 * Returns the warning `UNITS_DOUBTFUL` if the size of an imported model is implausible, since it was most likely
 * imported in the wrong unit. `unit` is the one that its coordinates were read in; `undefined` if its format declares
 * a unit.
 */
export function findUnitWarning(
  { dimensionXMm, dimensionYMm, dimensionZMm }: Analysis,
  unit: MeasurementUnit | undefined,
): ReportWarning | undefined {
  const largest = Math.max(dimensionXMm, dimensionYMm, dimensionZMm);
  if (!(largest > 0) || (largest >= MIN_PLAUSIBLE_MM && largest <= MAX_PLAUSIBLE_MM)) return undefined;
  const remedy = unit ? `Check whether the file is really in ${unit}` : 'Check the unit that the file declares';
  const message = `The largest dimension of the model is ${Number(largest.toPrecision(3))} mm. ${remedy}; nothing was rescaled.`;
  return { code: 'UNITS_DOUBTFUL', message };
}
