import type { IndexedMesh } from '../core/mesh.js';
import type { AnalysisWithPlaces, Report } from './report.js';

/** The result of a repair, or of an operation in place of one. */
export interface RepairResult {
  mesh: IndexedMesh;
  /** The analysis of `mesh`. */
  analyzed: AnalysisWithPlaces;
  report: Report;
  /** Whether the mesh is now at least watertight and encloses a volume. */
  isSuccessful: boolean;
  /** Why the repair failed. */
  reason?: string;
  /** Whether it failed because the mesh encloses no volume. */
  isSheet?: boolean;
  /** Whether `mesh` is the mesh that was to be repaired. */
  isUnchanged?: boolean;
}
