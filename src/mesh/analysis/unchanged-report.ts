import type { AnalysisWithPlaces, Report } from './report.js';
import { verdictOf } from './verdict.js';

/** Creates the report of a mesh that was only read or did not change: `before` equals `after`. */
export function createUnchangedReport({ analysis, places }: AnalysisWithPlaces): Report {
  return {
    before: analysis,
    after: analysis,
    steps: [],
    places: [...places],
    filledAreaMm2: 0,
    volumeChangeMm3: 0,
    areaChangeMm2: 0,
    maxDisplacementMm: 0,
    warnings: [],
    verdict: verdictOf(analysis),
  };
}
