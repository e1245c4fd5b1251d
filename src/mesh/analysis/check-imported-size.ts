import type { Unit } from '../core/units.js';
import { type ModelNotes, NO_NOTES } from './model-notes.js';
import type { Analysis } from './report.js';

// The range of the largest dimension, and the text, are those of the nodes (nodes/shared/message/unit-plausibility.ts),
// which derive the warning for services that send none. A test holds them equal.
const MIN_PLAUSIBLE_MM = 1;
const MAX_PLAUSIBLE_MM = 2000;

// A smaller volume suggests that the numbers of the file are inches or meters. Those of PrusaSlicer
// (`volume_threshold_inches`, `volume_threshold_meters` in src/libslic3r/Model.cpp).
const MIN_PLAUSIBLE_MM3 = 9;
const MAX_METERS_MM3 = 0.001;

/** A box whose smallest side is below this fraction of its largest is a sheet: its volume says nothing about the unit. */
const MIN_THICKNESS_FRACTION = 1e-3;

/** The unit of a model and its origin. */
export interface UnitSource {
  /** The unit in which numbers without a unit were read. */
  unit: Unit;
  /** The file states its unit, or its format defines it. */
  isStated: boolean;
  /** A person chose the unit. */
  isChosen: boolean;
}

/**
 * Returns the warning `UNITS_DOUBTFUL` if the size of an imported model is implausible, since it was most likely read in
 * the wrong unit: if the largest dimension is below 1 mm or above 2 m or, where nobody said the unit, the volume is below
 * 9 mm³. Then the size is also a reason why the model may not be what its file meant.
 */
export function checkImportedSize(analysis: Analysis, { unit, isStated, isChosen }: UnitSource): ModelNotes {
  const isConfirmed = isStated || isChosen;
  const remedy = isStated ? 'Check the unit that the file declares' : `Check whether the file is really in ${unit}`;
  const createNotes = (measure: string, size: string, suggestion = ''): ModelNotes => {
    const message = `The ${measure} of the model is ${size}. ${remedy}${suggestion}; nothing was rescaled.`;
    const reason = `implausible size: ${measure} ${size}, and the file states no unit`;
    return { warnings: [{ code: 'UNITS_DOUBTFUL', message }], reasons: isConfirmed ? [] : [reason] };
  };
  const largestMm = Math.max(analysis.dimensionXMm, analysis.dimensionYMm, analysis.dimensionZMm);
  if (largestMm > 0 && (largestMm < MIN_PLAUSIBLE_MM || largestMm > MAX_PLAUSIBLE_MM))
    return createNotes('largest dimension', `${roundTo3Digits(largestMm)} mm`);
  const volumeMm3 = isConfirmed ? undefined : findVolume(analysis);
  if (volumeMm3 === undefined || volumeMm3 >= MIN_PLAUSIBLE_MM3) return NO_NOTES;
  const suggestion = volumeMm3 < MAX_METERS_MM3 ? ', or in m' : ', or in inch';
  return createNotes('volume', `${roundTo3Digits(volumeMm3)} mm³`, suggestion);
}

/** Returns the enclosed volume or, as that of an open surface is meaningless, that of its bounds; `undefined` for a sheet. */
function findVolume({ badEdges, volumeMm3, dimensionXMm, dimensionYMm, dimensionZMm }: Analysis): number | undefined {
  if (badEdges === 0 && volumeMm3 !== 0) return Math.abs(volumeMm3);
  const sides = [dimensionXMm, dimensionYMm, dimensionZMm];
  if (Math.min(...sides) <= Math.max(...sides) * MIN_THICKNESS_FRACTION) return undefined;
  return dimensionXMm * dimensionYMm * dimensionZMm;
}

function roundTo3Digits(value: number): number {
  return Number(value.toPrecision(3));
}
