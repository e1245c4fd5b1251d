import { analyze } from '../../../src/mesh/analysis/analyze.js';
import type { Analysis, InnerShellRule } from '../../../src/mesh/analysis/report.js';
import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { createContext, type RepairStep, type StepResult } from '../../../src/mesh/repair/step.js';
import { createMeshState } from '../../../src/mesh/spatial/mesh-index.js';
import { fromTaggedMesh, toTaggedMesh } from '../../../src/mesh/topology/tagged-mesh.js';

/** Runs one step on a mesh. */
export function applyStep(step: RepairStep, mesh: IndexedMesh, rule?: InnerShellRule): StepResult {
  const { dimensionXMm, dimensionYMm, dimensionZMm } = analyze(mesh);
  const { mesh: source, index } = createMeshState(toTaggedMesh(mesh));
  return step.run(source, { ...createContext(Math.hypot(dimensionXMm, dimensionYMm, dimensionZMm), rule), index });
}

/** Runs one step on a mesh, and analyzes its result. `changed` is what the step counts. */
export function runStep(
  step: RepairStep,
  mesh: IndexedMesh,
): { mesh: IndexedMesh; changed: number; analysis: Analysis; filledAreaMm2: number; maxDisplacementMm: number } {
  const { mesh: result, notes } = applyStep(step, mesh);
  const resultMesh = fromTaggedMesh(result, mesh.objects);
  const { count: changed, filledAreaMm2 = 0, maxDisplacementMm = 0 } = notes;
  return { mesh: resultMesh, changed, analysis: analyze(resultMesh), filledAreaMm2, maxDisplacementMm };
}
