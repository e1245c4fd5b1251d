import { analyze } from '../../../src/mesh/analysis/analyze.js';
import type { Analysis } from '../../../src/mesh/analysis/report.js';
import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import type { RepairStep } from '../../../src/mesh/repair/step.js';
import { fromTaggedMesh, toTaggedMesh } from '../../../src/mesh/topology/tagged-mesh.js';

/** Runs one step on a mesh, and analyzes its result. */
export function runStep(
  step: RepairStep,
  mesh: IndexedMesh,
): { mesh: IndexedMesh; changed: number; analysis: Analysis; filledAreaMm2: number; maxDisplacementMm: number } {
  const { dimensionXMm, dimensionYMm, dimensionZMm } = analyze(mesh);
  const result = step.run(toTaggedMesh(mesh), Math.hypot(dimensionXMm, dimensionYMm, dimensionZMm));
  const resultMesh = fromTaggedMesh(result.mesh, mesh.objects);
  const { changed, filledAreaMm2 = 0, maxDisplacementMm = 0 } = result;
  return { mesh: resultMesh, changed, analysis: analyze(resultMesh), filledAreaMm2, maxDisplacementMm };
}
