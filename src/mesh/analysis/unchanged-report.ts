import type { AnalysisWithPlaces, Report, ReportWarning } from './report.js';
import { verdictOf } from './verdict.js';

/**
 * Creates the report of a mesh that was only read or did not change: `before` equals `after`. `warnings` come from the
 * reader.
 */
export function createUnchangedReport(
  { analysis, places }: AnalysisWithPlaces,
  warnings: readonly ReportWarning[] = [],
): Report {
  return {
    before: analysis,
    after: analysis,
    steps: [],
    places: [...places],
    filledAreaMm2: 0,
    volumeChangeMm3: 0,
    areaChangeMm2: 0,
    maxDisplacementMm: 0,
    warnings: [...warnings],
    verdict: verdictOf(analysis),
  };
}
