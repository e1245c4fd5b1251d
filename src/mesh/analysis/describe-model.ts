import type { IndexedMesh } from '../mesh.js';
import type { Analysis, DefectPlace, Report, ReportWarning } from '../report.js';
import { analyzeWithPlaces } from './analyze.js';
import { verdictOf } from './verdict.js';

/** The report of an import: nothing was changed, so `before` is `after`. `warnings` are the reader's. */
export function describeModel(mesh: IndexedMesh, warnings: readonly ReportWarning[] = []): Report {
  const { analysis, places } = analyzeWithPlaces(mesh);
  return unchangedReport(analysis, warnings, places);
}

/** The report of a mesh that stays as it is. */
export function unchangedReport(
  analysis: Analysis,
  warnings: readonly ReportWarning[] = [],
  places: readonly DefectPlace[] = [],
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
