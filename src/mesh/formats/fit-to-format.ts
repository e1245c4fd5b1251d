import { analyze, analyzeWithPlaces } from '../analysis/analyze.js';
import type { Report } from '../analysis/report.js';
import { verdictOf } from '../analysis/verdict.js';
import { createWorkLimitWarning } from '../analysis/work-limit-warning.js';
import type { IndexedMesh } from '../core/mesh.js';
import { computeBounds } from '../geometry/bounds.js';
import { findFarOrigin } from '../geometry/far-origin.js';
import { type RoundedMesh, roundToFloat32 } from '../rounding/round-to-float32.js';
import type { FittedMesh } from './format.js';
import { exportFormatOf } from './registry.js';

/**
 * Prepares a mesh for a format: rounds the coordinates to float32 if the format requires it, such that a solid remains
 * a solid. They are relative to an origin near the center if the format stores a translation, and coordinates are far
 * larger than the model. If that fails, `report` describes the mesh as written, with a warning `ROUNDING_BROKE_TRIANGLES`.
 */
export function fitToFormat(mesh: IndexedMesh, format: string): { mesh: FittedMesh; report?: Report } {
  const { isFloat32 = false, hasTranslation = false } = exportFormatOf(format) ?? {};
  if (!isFloat32) return { mesh };
  const origin = hasTranslation ? findFarOrigin(computeBounds(mesh.positions)) : undefined;
  const rounded = roundToFloat32(mesh, origin);
  const fitted = origin ? { ...rounded.mesh, origin } : rounded.mesh;
  if (rounded.brokenTriangles === 0) return { mesh: fitted };
  return { mesh: fitted, report: createReport(mesh, rounded, format) };
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
