import type { Analysis, ReportWarning } from '../analysis/report.js';
import { verdictOf } from '../analysis/verdict.js';

/** A volume that moved by more than this share is worth a warning. */
const VOLUME_CHANGE_WARNING_FRACTION = 0.05;

/**
 * What the user should know of a repair as a whole. `closed` is how the mesh stood before overlaps were united.
 *
 * - `VOLUME_CHANGED`: the volume moved by more than 5 %; held against the file's where that was closed, since the volume of an open or
 *   inconsistently wound mesh is a number without sense, else against that of the closed mesh.
 * - `SHRINKWRAP_SUGGESTED`: it is no solid.
 */
export function resultWarnings(before: Analysis, closed: Analysis, after: Analysis): ReportWarning[] {
  return [...volumeWarnings(before.badEdges === 0 ? before : closed, after), ...levelWarnings(after)];
}

/** A warning where the volume moved by more than 5 %; none where `base` was open, so that its volume is a number without sense. */
export function volumeWarnings(base: Analysis, after: Analysis): ReportWarning[] {
  const [from, to] = [Math.abs(base.volumeMm3), Math.abs(after.volumeMm3)];
  if (base.badEdges > 0 || Math.abs(to - from) <= from * VOLUME_CHANGE_WARNING_FRACTION) return [];
  const message = `The volume went from ${from.toPrecision(6)} to ${to.toPrecision(6)} mm³`;
  return [{ code: 'VOLUME_CHANGED', message }];
}

function levelWarnings(after: Analysis): ReportWarning[] {
  const { level } = verdictOf(after);
  if (level === 'solid') return [];
  const message = `The repair ends at the level ${level}: shrinkwrap-repair makes a solid of any model, as a new surface close to the old one`;
  return [{ code: 'SHRINKWRAP_SUGGESTED', message }];
}
