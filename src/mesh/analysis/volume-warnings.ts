import type { Analysis, ReportWarning } from './report.js';

/** A change of the volume by more than this fraction causes a warning. */
const VOLUME_CHANGE_WARNING_FRACTION = 0.05;

/**
 * Returns a warning if the volume changed by more than 5 %. Returns none if `base` has bad edges: its volume is
 * meaningless.
 */
export function createVolumeWarnings(base: Analysis, after: Analysis): ReportWarning[] {
  return base.badEdges > 0 ? [] : compareVolumes(base.volumeMm3, after.volumeMm3);
}

/** Returns a warning if two volumes differ by more than 5 %. */
export function compareVolumes(beforeMm3: number, afterMm3: number): ReportWarning[] {
  const [from, to] = [Math.abs(beforeMm3), Math.abs(afterMm3)];
  if (Math.abs(to - from) <= from * VOLUME_CHANGE_WARNING_FRACTION) return [];
  const message = `The volume changed from ${from.toPrecision(6)} to ${to.toPrecision(6)} mm³.`;
  return [{ code: 'VOLUME_CHANGED', message }];
}
