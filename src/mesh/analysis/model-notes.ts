import type { Report, ReportWarning, SkippedContent, Verdict } from './report.js';

/**
 * Facts about a model that its mesh does not show, found by its import and by repairs. They are stored with the model, and
 * every later operation passes them on.
 */
export interface ModelNotes {
  /** The warnings of the import. */
  warnings: readonly ReportWarning[];
  /** Why the model is not what its file meant, such as `incomplete file: 4 % of the triangles`. */
  reasons: readonly string[];
  /** Whether the objects of the model are parts that a repair keeps. Default: it unites them. */
  hasParts?: boolean;
  /** What the import skipped. */
  skipped?: SkippedContent;
}

/** The notes of a model about which nothing is known. */
export const NO_NOTES: ModelNotes = { warnings: [], reasons: [] };

/** Returns a verdict with these reasons before its own. Any reason sets `needsRepair`; the level stays. */
export function addReasons(verdict: Verdict, reasons: readonly string[]): Verdict {
  if (reasons.length === 0) return verdict;
  return { ...verdict, needsRepair: true, reasons: [...reasons, ...verdict.reasons] };
}

/** Returns the report of an operation on a model with these notes: with their warnings and reasons before its own. */
export function addNotes(report: Report, notes: ModelNotes): Report {
  const warnings = [...notes.warnings, ...report.warnings];
  const { skipped } = notes;
  const verdict = addReasons(report.verdict, notes.reasons);
  return { ...report, ...(skipped && { skipped }), warnings, verdict };
}
