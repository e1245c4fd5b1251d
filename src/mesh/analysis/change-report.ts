import { createLedgerEntry } from './ledger-numbers.js';
import type { AnalysisWithPlaces, Report, ReportWarning } from './report.js';
import { verdictOf } from './verdict.js';

/** What an operation other than a repair did to a mesh. */
export interface MeshChange {
  /** The name of the operation. */
  name: string;
  /** What the operation counts: removed triangles, created cavities, ... */
  changed: number;
  /** Maximum distance between the old and the new surface. Default: 0. */
  maxDisplacementMm?: number;
  warnings?: readonly ReportWarning[];
  /** Why the operation removed and added triangles and volume. */
  reason: string;
}

/** Creates the report of an operation that replaced a mesh by another one. */
export function createChangeReport(before: AnalysisWithPlaces, after: AnalysisWithPlaces, change: MeshChange): Report {
  const { name, changed, maxDisplacementMm = 0, warnings = [], reason } = change;
  const differences = {
    triangles: after.analysis.triangles - before.analysis.triangles,
    shells: after.analysis.shells - before.analysis.shells,
    volumeMm3: after.analysis.volumeMm3 - before.analysis.volumeMm3,
  };
  return {
    before: before.analysis,
    after: after.analysis,
    steps: [createLedgerEntry(name, changed, differences, reason)],
    places: [...before.places],
    filledAreaMm2: 0,
    volumeChangeMm3: after.analysis.volumeMm3 - before.analysis.volumeMm3,
    areaChangeMm2: after.analysis.surfaceAreaMm2 - before.analysis.surfaceAreaMm2,
    maxDisplacementMm,
    warnings: [...warnings],
    verdict: verdictOf(after.analysis),
  };
}
