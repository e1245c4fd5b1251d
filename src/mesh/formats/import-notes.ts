import { checkImportedSize } from '../analysis/check-imported-size.js';
import type { ModelNotes } from '../analysis/model-notes.js';
import type { Analysis, SkippedContent } from '../analysis/report.js';
import type { Unit } from '../core/units.js';
import type { ReaderWarning } from './format.js';
import type { ImportedModel } from './parse-model.js';

/** Warnings of readers that a part of the file is missing, whose size is not known. */
const INCOMPLETE_CODES: readonly string[] = ['TRUNCATED', 'OBJECTS_MISSING'];

/** Faces that a reader skipped count as a loss from this fraction of all faces, as a loss of volume does in a repair. */
const LOSS_FRACTION = 0.005;

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
  const lacksContent = warnings.some(({ code }) => INCOMPLETE_CODES.includes(code));
  const fraction = readFraction ?? (lacksContent ? undefined : usableFraction(analysis.triangles, skipped));
  const isIncomplete = lacksContent || (fraction !== undefined && 1 - fraction > LOSS_FRACTION);
  return {
    warnings: [...warnings.map(({ code, message }) => ({ code, message })), ...size.warnings],
    reasons: [...(isIncomplete ? [describeIncompleteness(fraction)] : []), ...reasons, ...size.reasons],
    ...(hasParts && { hasParts }),
    ...(skipped && { skipped }),
  };
}

/** Returns the fraction of the faces of a file that were read: the others have missing or invalid vertices. */
function usableFraction(
  triangles: number,
  { triangles: skippedTriangles = 0, faces = 0 }: SkippedContent = {},
): number {
  const skippedCount = skippedTriangles + faces;
  return skippedCount === 0 ? 1 : triangles / (triangles + skippedCount);
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

/** Describes how much of an incomplete file was read. Neither nothing nor all of it, whatever rounding says. */
function describeIncompleteness(readFraction: number | undefined): string {
  if (readFraction === undefined) return 'incomplete file';
  const percent = Math.min(99, Math.round(100 * readFraction));
  return `incomplete file: ${percent < 1 ? 'less than 1' : percent} % of the triangles`;
}
