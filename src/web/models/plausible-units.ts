import type { Analysis, Report } from '../../api/index.js';

/** The beginning of the reason of an implausible size that nobody confirmed. */
const REASON = /^implausible size: /;

// As in the kernel: sizes in this range are plausible, and smaller volumes suggest meters rather than inches.
const MIN_PLAUSIBLE_MM = 1;
const MAX_PLAUSIBLE_MM = 2000;
const MAX_METERS_MM3 = 0.001;

/** Returns whether the size of a model is implausible, and nobody said the unit of its file: it was read in mm. */
export function isUnitUnconfirmed({ verdict }: Report): boolean {
  return verdict.reasons.some((reason) => REASON.test(reason));
}

/** Returns the largest dimension of a model in mm. */
export function largestOf({ dimensionXMm, dimensionYMm, dimensionZMm }: Analysis): number {
  return Math.max(dimensionXMm, dimensionYMm, dimensionZMm);
}

/** Returns the units other than mm in which a size is plausible, the most likely one first. */
export function listPlausibleUnits(
  sizeMm: number,
  volumeMm3: number,
  unitsInMm: Readonly<Record<string, number>>,
): string[] {
  const likely = Math.abs(volumeMm3) < MAX_METERS_MM3 ? 'm' : 'inch';
  const isPlausible = (factor: number): boolean =>
    sizeMm * factor >= MIN_PLAUSIBLE_MM && sizeMm * factor <= MAX_PLAUSIBLE_MM;
  const units = Object.keys(unitsInMm).filter((unit) => unit !== 'mm' && isPlausible(unitsInMm[unit] ?? 0));
  return units.sort((left, right) => Number(right === likely) - Number(left === likely));
}
