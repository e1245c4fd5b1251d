import type { InnerShell, ReportWarning } from '../analysis/report.js';
import type { TaggedMesh } from '../topology/tagged-mesh.js';

/** The result of a step. `changed` counts what the step does; it is 0 if the mesh is unchanged. */
export interface StepResult {
  mesh: TaggedMesh;
  changed: number;
  /** Area of triangles that were added or moved to close the mesh. */
  filledAreaMm2?: number;
  /** Maximum displacement of a vertex. */
  maxDisplacementMm?: number;
  innerShells?: InnerShell[];
  warnings?: ReportWarning[];
}

/**
 * A repair step. The report contains its name. `diagonalMm` is the diagonal of the input mesh; tolerances are fractions
 * of it.
 */
export interface RepairStep {
  name: string;
  run: (mesh: TaggedMesh, diagonalMm: number) => StepResult;
}
