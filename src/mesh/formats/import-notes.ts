import { checkImportedSize } from '../analysis/check-imported-size.js';
import type { ModelNotes } from '../analysis/model-notes.js';
import type { Analysis } from '../analysis/report.js';
import type { Unit } from '../core/units.js';
import type { ImportedModel } from './parse-model.js';

/**
 * Creates the notes of an imported model: the warnings of its reader and about its size, and as reasons that its file is
 * incomplete, those of its reader, and a size that is implausible if nobody said the unit. `chosenUnit`: the unit that a person chose for
 * files without one.
 */
export function createImportNotes(
  { warnings, reasons = [], readFraction, isUnitStated }: Omit<ImportedModel, 'mesh'>,
  analysis: Analysis,
  chosenUnit: Unit | undefined,
): ModelNotes {
  const unit = { unit: chosenUnit ?? 'mm', isStated: isUnitStated, isChosen: chosenUnit !== undefined };
  const size = checkImportedSize(analysis, unit);
  const isTruncated = warnings.some(({ code }) => code === 'TRUNCATED');
  return {
    warnings: [...warnings, ...size.warnings],
    reasons: [...(isTruncated ? [describeTruncation(readFraction)] : []), ...reasons, ...size.reasons],
  };
}

/** Describes how much of a truncated file was read. Neither nothing nor all of it, whatever rounding says. */
function describeTruncation(readFraction: number | undefined): string {
  if (readFraction === undefined) return 'incomplete file';
  const percent = Math.min(99, Math.round(100 * readFraction));
  return `incomplete file: ${percent < 1 ? 'less than 1' : percent} % of the triangles`;
}
