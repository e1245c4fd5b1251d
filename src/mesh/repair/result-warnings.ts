import type { Analysis, ReportWarning } from '../analysis/report.js';
import { verdictOf } from '../analysis/verdict.js';
import { createVolumeWarnings } from '../analysis/volume-warnings.js';

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

function createLevelWarnings(after: Analysis): ReportWarning[] {
  const { level } = verdictOf(after);
  if (level === 'solid') return [];
  const message = `The repaired model is ${level}, not solid. Use shrinkwrap-repair to replace its surface by a solid.`;
  return [{ code: 'SHRINKWRAP_SUGGESTED', message }];
}
