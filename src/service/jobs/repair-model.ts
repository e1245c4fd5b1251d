import { selectWholeAnalysis } from '../../mesh/analysis/analyze-parts.js';
import { addNotes } from '../../mesh/analysis/model-notes.js';
import type { RepairResult } from '../../mesh/analysis/repair-result.js';
import { parseInternal, type StoredMesh, serializeInternal } from '../../mesh/formats/internal-format.js';
import { addLossReasons } from '../../mesh/repair/ledger.js';
import { type RepairOptions, repair } from '../../mesh/repair/repair.js';
import { repairParts } from '../../mesh/repair/repair-parts.js';
import { repairUnited } from '../../mesh/repair/repair-united.js';
import type { Job, JobOutcome } from '../kernel/messages.js';
import type { GEOMETRICAL_REPAIR } from '../operations/kinds/geometrical-repair.js';
import type { REPAIR } from '../operations/kinds/repair.js';
import { type JobHandler, requireOutputPath, succeeded } from './job-handler.js';
import { readFileFully, writeFileFully } from './whole-files.js';

/** Repairs a model. */
export const repairModel: JobHandler<typeof REPAIR> = (job, onProgress, runner) => {
  const { innerShells, parts } = job.parameters;
  return run(job, { onProgress, runner, innerShells }, parts === 'unite');
};

/** Repairs a model without merging or removing shells. */
export const repairGeometry: JobHandler<typeof GEOMETRICAL_REPAIR> = (job, onProgress, runner) =>
  run(job, { onProgress, runner, preserveTopology: true }, false);

// A model without parts that was imported by an earlier version, or from a format whose objects are none, is one mesh.
function run(job: Job<object>, options: RepairOptions, shouldUnite: boolean): JobOutcome {
  const stored = parseInternal(readFileFully(job.inputPath));
  const { hasParts = false, ...notes } = stored.notes;
  const withoutParts = { ...stored, notes };
  if (hasParts && !shouldUnite)
    return finishRepair(job, stored, repairParts(stored, { ...options, precomputed: stored.analyzed }));
  const wholeOptions = { ...options, precomputed: selectWholeAnalysis(stored.analyzed) };
  if (!hasParts) return finishRepair(job, withoutParts, repair(stored, wholeOptions));
  const result = repairUnited(stored, wholeOptions);
  return finishRepair(job, result.report.unitedParts ? withoutParts : stored, result);
}

/**
 * Writes the repaired model, if the repair succeeded, with the notes and the helper bodies of its input and the reasons that
 * the repair adds. Returns the outcome of the job.
 */
export function finishRepair(
  job: Job<object>,
  { notes, helpers }: Pick<StoredMesh, 'notes' | 'helpers'>,
  { mesh, analyzed, report: ownReport, isSuccessful, reason }: RepairResult,
): JobOutcome {
  const report = addNotes(ownReport, notes);
  if (!isSuccessful) {
    const message = `Could not repair the model: ${reason ?? 'defects are left'}.`;
    return { type: 'failed', code: 'REPAIR_INCOMPLETE', message, result: { report } };
  }
  const resultNotes = addLossReasons(notes, ownReport.warnings);
  writeFileFully(requireOutputPath(job), serializeInternal(mesh, analyzed, resultNotes, helpers));
  return succeeded({ report });
}
