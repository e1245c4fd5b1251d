import { checkImportedSize } from '../analysis/check-imported-size.js';
import type { ModelNotes } from '../analysis/model-notes.js';
import type { Analysis, SkippedContent } from '../analysis/report.js';
import type { Unit } from '../core/units.js';
import type { ReaderWarning } from './format.js';
import type { ImportedModel } from './parse-model.js';

/**
 * Creates the notes of an imported model: the warnings of its reader and about its size, and as reasons that its file
 * is incomplete, those of its reader, and a size that is implausible if nobody said the unit. `chosenUnit`: the unit
 * that a person chose for files without one.
 */
export function createImportNotes(
  { warnings, reasons = [], readFraction, isUnitStated, hasParts }: Omit<ImportedModel, 'mesh'>,
  analysis: Analysis,
  chosenUnit: Unit | undefined,
): ModelNotes {
  const unit = { unit: chosenUnit ?? 'mm', isStated: isUnitStated, isChosen: chosenUnit !== undefined };
  const size = checkImportedSize(analysis, unit);
  const skipped = addSkipped(warnings);
  const isTruncated = warnings.some(({ code }) => code === 'TRUNCATED');
  return {
    warnings: [...warnings.map(({ code, message }) => ({ code, message })), ...size.warnings],
    reasons: [...(isTruncated ? [describeTruncation(readFraction)] : []), ...reasons, ...size.reasons],
    ...(hasParts && { hasParts }),
    ...(skipped && { skipped }),
  };
}

/** Adds what a reader skipped. Returns `undefined` if it read all. */
function addSkipped(warnings: readonly ReaderWarning[]): SkippedContent | undefined {
  const total: SkippedContent = {};
  for (const { skipped = {} } of warnings)
    for (const name of ['triangles', 'faces', 'objects'] as const) {
      const count = skipped[name] ?? 0;
      if (count > 0) total[name] = (total[name] ?? 0) + count;
    }
  return Object.keys(total).length > 0 ? total : undefined;
}

/** Describes how much of a truncated file was read. Neither nothing nor all of it, whatever rounding says. */
function describeTruncation(readFraction: number | undefined): string {
  if (readFraction === undefined) return 'incomplete file';
  const percent = Math.min(99, Math.round(100 * readFraction));
  return `incomplete file: ${percent < 1 ? 'less than 1' : percent} % of the triangles`;
}
