import { analyze, analyzeWithPlaces } from '../analysis/analyze.js';
import type { Report } from '../analysis/report.js';
import { verdictOf } from '../analysis/verdict.js';
import type { IndexedMesh } from '../core/mesh.js';
import { type RoundedMesh, roundToFloat32 } from '../rounding/round-to-float32.js';
import { exportFormatOf, type FormatId } from './format-table.js';

/** The formats that have room for 24 bits of a coordinate only. The others keep every digit. */
const FLOAT32_FORMATS: readonly (FormatId | undefined)[] = ['stl', 'glb'];

/**
 * Makes a mesh fit to be written in a format: where the format holds float32 only, rounded so that a solid stays one. Where that does not
 * succeed, `report` says what the file will hold, with a warning `ROUNDING_BROKE_TRIANGLES`.
 */
export function fitToFormat(mesh: IndexedMesh, format: string): { mesh: IndexedMesh; report?: Report } {
  if (!FLOAT32_FORMATS.includes(exportFormatOf(format))) return { mesh };
  const rounded = roundToFloat32(mesh);
  if (rounded.brokenTriangles === 0) return { mesh: rounded.mesh };
  return { mesh: rounded.mesh, report: reportOf(mesh, rounded, format) };
}

function reportOf(
  input: IndexedMesh,
  { mesh, brokenTriangles, maxDisplacementMm }: RoundedMesh,
  format: string,
): Report {
  const before = analyze(input);
  const { analysis: after, places } = analyzeWithPlaces(mesh);
  const message = `The format ${format} holds about seven digits of a coordinate: rounded to these, triangles cross or lose their area (${brokenTriangles}). PLY, OBJ, 3MF and AMF keep every digit`;
  return {
    before,
    after,
    steps: [{ name: 'round', changed: brokenTriangles }],
    places,
    filledAreaMm2: 0,
    volumeChangeMm3: after.volumeMm3 - before.volumeMm3,
    areaChangeMm2: after.surfaceAreaMm2 - before.surfaceAreaMm2,
    maxDisplacementMm,
    warnings: [{ code: 'ROUNDING_BROKE_TRIANGLES', message }],
    verdict: verdictOf(after),
  };
}
