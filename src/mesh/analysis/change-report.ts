import type { AnalysisWithPlaces, Report, ReportWarning } from './report.js';
import { verdictOf } from './verdict.js';

/** What an operation did to a mesh that is no repair. */
export interface MeshChange {
  /** The operation, and how many of what it is about: triangles that are gone, voids that were made, ... */
  name: string;
  changed: number;
  /** How far the surface is from where it was, in mm. Default: 0. */
  maxDisplacementMm?: number;
  warnings?: readonly ReportWarning[];
}

/** The report of an operation that made another mesh of one. */
export function createChangeReport(before: AnalysisWithPlaces, after: AnalysisWithPlaces, change: MeshChange): Report {
  const { name, changed, maxDisplacementMm = 0, warnings = [] } = change;
  return {
    before: before.analysis,
    after: after.analysis,
    steps: [{ name, changed }],
    places: [...before.places],
    filledAreaMm2: 0,
    volumeChangeMm3: after.analysis.volumeMm3 - before.analysis.volumeMm3,
    areaChangeMm2: after.analysis.surfaceAreaMm2 - before.analysis.surfaceAreaMm2,
    maxDisplacementMm,
    warnings: [...warnings],
    verdict: verdictOf(after.analysis),
  };
}
