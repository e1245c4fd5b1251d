import type { Analysis, ReportWarning } from '../analysis/report.js';
import { verdictOf } from '../analysis/verdict.js';

/** A change of the volume by more than this fraction causes a warning. */
const VOLUME_CHANGE_WARNING_FRACTION = 0.05;

/**
 * Returns the warnings about a repair as a whole. `closed` is the analysis of the mesh before overlaps were united.
 *
 * - `VOLUME_CHANGED`: the volume changed by more than 5 %. The reference is the volume of the file if its mesh is
 *   closed, else that of the closed mesh: the volume of an open or inconsistently wound mesh is meaningless.
 * - `SHRINKWRAP_SUGGESTED`: the result is not a solid.
 */
export function createResultWarnings(before: Analysis, closed: Analysis, after: Analysis): ReportWarning[] {
  return [...createVolumeWarnings(before.badEdges === 0 ? before : closed, after), ...createLevelWarnings(after)];
}

/**
 * Returns a warning if the volume changed by more than 5 %. Returns none if `base` has bad edges: its volume is
 * meaningless.
 */
export function createVolumeWarnings(base: Analysis, after: Analysis): ReportWarning[] {
  const [from, to] = [Math.abs(base.volumeMm3), Math.abs(after.volumeMm3)];
  if (base.badEdges > 0 || Math.abs(to - from) <= from * VOLUME_CHANGE_WARNING_FRACTION) return [];
  const message = `The volume changed from ${from.toPrecision(6)} to ${to.toPrecision(6)} mm³.`;
  return [{ code: 'VOLUME_CHANGED', message }];
}

function createLevelWarnings(after: Analysis): ReportWarning[] {
  const { level } = verdictOf(after);
  if (level === 'solid') return [];
  const message = `The repaired model is ${level}, not solid. Use shrinkwrap-repair to replace its surface by a solid.`;
  return [{ code: 'SHRINKWRAP_SUGGESTED', message }];
}
