import { analyze, analyzeWithPlaces } from '../analysis/analyze.js';
import type { Report } from '../analysis/report.js';
import { verdictOf } from '../analysis/verdict.js';
import { createWorkLimitWarning } from '../analysis/work-limit-warning.js';
import type { IndexedMesh } from '../core/mesh.js';
import { type RoundedMesh, roundToFloat32 } from '../rounding/round-to-float32.js';
import { exportFormatOf } from './registry.js';

/**
 * Prepares a mesh for a format: rounds the coordinates to float32 if the format requires it, such that a solid remains
 * a solid. If that fails, `report` describes the mesh as written, with a warning `ROUNDING_BROKE_TRIANGLES`.
 */
export function fitToFormat(mesh: IndexedMesh, format: string): { mesh: IndexedMesh; report?: Report } {
  if (!exportFormatOf(format)?.isFloat32) return { mesh };
  const rounded = roundToFloat32(mesh);
  if (rounded.brokenTriangles === 0) return { mesh: rounded.mesh };
  return { mesh: rounded.mesh, report: createReport(mesh, rounded, format) };
}

function createReport(
  input: IndexedMesh,
  { mesh, brokenTriangles, maxDisplacementMm, isWorkExceeded }: RoundedMesh,
  format: string,
): Report {
  const before = analyze(input);
  const { analysis: after, places } = analyzeWithPlaces(mesh);
  const workWarnings = isWorkExceeded ? [createWorkLimitWarning('round')] : [];
  const message = `The format ${format} stores about seven digits per coordinate: rounding leaves ${brokenTriangles} intersecting or degenerate triangles. PLY, OBJ, 3MF and AMF keep full precision.`;
  return {
    before,
    after,
    steps: [{ name: 'round', changed: brokenTriangles }],
    places,
    filledAreaMm2: 0,
    volumeChangeMm3: after.volumeMm3 - before.volumeMm3,
    areaChangeMm2: after.surfaceAreaMm2 - before.surfaceAreaMm2,
    maxDisplacementMm,
    warnings: [{ code: 'ROUNDING_BROKE_TRIANGLES', message }, ...workWarnings],
    verdict: verdictOf(after),
  };
}
