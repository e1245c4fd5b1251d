import { analyzeWithPlaces } from '../analysis/analyze.js';
import { analyzeModel } from '../analysis/analyze-parts.js';
import type { Report, ReportWarning } from '../analysis/report.js';
import { verdictOf } from '../analysis/verdict.js';
import { createWorkLimitWarning } from '../analysis/work-limit-warning.js';
import type { IndexedMesh } from '../core/mesh.js';
import { computeBounds, diagonalOf } from '../geometry/bounds.js';
import { findFarOrigin, type Point } from '../geometry/far-origin.js';
import { type RoundedMesh, roundToFloat32 } from '../rounding/round-to-float32.js';
import { splitParts } from '../spatial/split-parts.js';
import { joinMeshes } from '../topology/join-meshes.js';
import { gatherPositions, weldPoints } from '../welding/weld.js';
import type { FittedMesh } from './format.js';
import { exportFormatOf } from './registry.js';

/** A larger displacement, as a fraction of the diagonal, changes the shape. */
const MAX_DISPLACEMENT_FRACTION = 1e-4;

/**
 * Prepares a mesh for a format: rounds the coordinates to float32 if the format requires it, such that a solid remains
 * a solid. They are relative to an origin near the center if the format stores a translation, and coordinates are far
 * larger than the model. If triangles remain broken or the shape changed, `report` describes the mesh as written, with a
 * warning `ROUNDING_BROKE_TRIANGLES` or `ROUNDING_CHANGED_SHAPE`. `hasContacts`: its parts touch or overlap, and each is
 * rounded by itself.
 */
export function fitToFormat(
  mesh: IndexedMesh,
  format: string,
  hasContacts = false,
): { mesh: FittedMesh; report?: Report } {
  const { isFloat32 = false, hasTranslation = false } = exportFormatOf(format) ?? {};
  if (!isFloat32) return { mesh };
  const box = computeBounds(mesh.positions);
  const origin = hasTranslation ? findFarOrigin(box) : undefined;
  const rounded = hasContacts ? roundParts(mesh, origin) : roundToFloat32(mesh, origin);
  const fitted = origin ? { ...rounded.mesh, origin } : rounded.mesh;
  const warnings = createWarnings(rounded, diagonalOf(box), format);
  return warnings.length === 0
    ? { mesh: fitted }
    : { mesh: fitted, report: createReport(mesh, rounded, warnings, hasContacts) };
}

/** Rounds each part of a mesh by itself. Returns the mesh itself if all coordinates are float32. */
function roundParts(mesh: IndexedMesh, origin: Point | undefined): RoundedMesh {
  const parts = splitParts(mesh);
  const rounded = parts.map((part) => roundToFloat32(part, origin));
  return {
    mesh: rounded.every((part, i) => part.mesh === parts[i]) ? mesh : joinMeshes(rounded.map((part) => part.mesh)),
    brokenTriangles: rounded.reduce((sum, part) => sum + part.brokenTriangles, 0),
    maxDisplacementMm: rounded.reduce((max, part) => Math.max(max, part.maxDisplacementMm), 0),
    isWorkExceeded: rounded.some((part) => part.isWorkExceeded),
  };
}

function createWarnings(
  { brokenTriangles, maxDisplacementMm, isWorkExceeded }: RoundedMesh,
  diagonalMm: number,
  format: string,
): ReportWarning[] {
  const warnings: ReportWarning[] = [];
  const warn = (code: ReportWarning['code'], effect: string) => {
    const message = `The format ${format} stores about seven digits per coordinate: rounding ${effect}. PLY, OBJ, 3MF and AMF keep full precision.`;
    warnings.push({ code, message });
  };
  if (brokenTriangles > 0)
    warn('ROUNDING_BROKE_TRIANGLES', `leaves ${brokenTriangles} intersecting or degenerate triangles`);
  if (maxDisplacementMm > diagonalMm * MAX_DISPLACEMENT_FRACTION)
    warn('ROUNDING_CHANGED_SHAPE', `moves vertices by up to ${Number(maxDisplacementMm.toPrecision(2))} mm`);
  if (brokenTriangles > 0 && isWorkExceeded) warnings.push(createWorkLimitWarning('round'));
  return warnings;
}

function createReport(
  input: IndexedMesh,
  { mesh, brokenTriangles, maxDisplacementMm }: RoundedMesh,
  warnings: ReportWarning[],
  hasContacts: boolean,
): Report {
  const analyze = hasContacts ? analyzeModel : analyzeWithPlaces;
  const before = analyze(input).analysis;
  const { analysis: after, places } = analyze(weldVertices(mesh));
  return {
    before,
    after,
    steps: [{ name: 'round', changed: brokenTriangles }],
    places,
    filledAreaMm2: 0,
    volumeChangeMm3: after.volumeMm3 - before.volumeMm3,
    areaChangeMm2: after.surfaceAreaMm2 - before.surfaceAreaMm2,
    maxDisplacementMm,
    warnings,
    verdict: verdictOf(after),
  };
}

/** Merges the vertices that rounding moved to the same position, as a reader does. */
function weldVertices({ positions, triangles, objects }: IndexedMesh): IndexedMesh {
  const { vertexOf, firstPoint } = weldPoints(positions);
  return {
    positions: gatherPositions(positions, firstPoint),
    triangles: triangles.map((vertex) => vertexOf[vertex]),
    ...(objects && { objects }),
  };
}
