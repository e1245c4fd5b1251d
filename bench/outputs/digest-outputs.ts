import zlib from 'node:zlib';
import { analyzeWithPlaces } from '../../src/mesh/analysis/analyze.js';
import type { IndexedMesh } from '../../src/mesh/core/mesh.js';
import { MeshError } from '../../src/mesh/core/mesh-error.js';
import { fitToFormat } from '../../src/mesh/formats/fit-to-format.js';
import { EXPORT_FORMATS } from '../../src/mesh/formats/registry.js';
import { serializeModel } from '../../src/mesh/formats/serialize-model.js';
import { computeBounds, diagonalOf } from '../../src/mesh/geometry/bounds.js';
import { hollow } from '../../src/mesh/hollow/hollow.js';
import { reduceSolid, reduceTriangles } from '../../src/mesh/reduce/reduce-triangles.js';
import { renderImage } from '../../src/mesh/rendering/render-image.js';
import { serializePng } from '../../src/mesh/rendering/serialize-png.js';
import { closeMesh } from '../../src/mesh/repair/close-mesh.js';
import { repair } from '../../src/mesh/repair/repair.js';
import { shrinkwrap } from '../../src/mesh/shrinkwrap/shrinkwrap.js';
import { analyzeWalls } from '../../src/mesh/thickness/analyze-walls.js';
import { digestBytes, digestMesh, digestReport } from './digest.js';

/** Above this, a model is repaired, exported and drawn only: the other operations take too long on it. */
export const MAX_TRIANGLES = 4000;

/** Lengths that operations take, as fractions of the diagonal. */
const WALL_FRACTION = 0.06;
const ACCURACY_FRACTION = 1e-3;

const ANGLES = { x: 25, y: 0, z: -35 };

/** Output → digest, or the code of the error in its place. */
export type Digests = Record<string, string>;

/** Runs every operation of the kernel on a mesh and returns the digests of what they write and report. */
export function digestOutputs(mesh: IndexedMesh): Digests {
  const digests: Digests = { mesh: digestMesh(mesh) };
  const record = (name: string, compute: () => string) => {
    digests[name] = orErrorCode(compute);
  };
  const analyzed = analyzeWithPlaces(mesh);
  digests.analysis = digestReport(analyzed);
  const { mesh: repaired, report, isSuccessful } = repair(mesh, { precomputed: analyzed });
  digests.repair = digestMesh(repaired);
  digests.report = digestReport({ report, isSuccessful });
  for (const { id } of EXPORT_FORMATS) record(id, () => digestExport(repaired, id));
  record('thumbnail', () => digestThumbnail(repaired));
  if (repaired.triangles.length / 3 > MAX_TRIANGLES || mesh.triangles.length / 3 > MAX_TRIANGLES) return digests;

  record('geometricalRepair', () => {
    const result = repair(mesh, { precomputed: analyzed, preserveTopology: true });
    return digestMesh(result.mesh) + digestReport(result.report);
  });
  record('shrinkwrap', () => {
    const result = shrinkwrap(mesh, { precomputed: analyzed, accuracy: 'Rough', close: closeMesh });
    return digestMesh(result.mesh) + digestReport(result.report);
  });
  const repairedAnalysis = analyzeWithPlaces(repaired);
  const diagonalMm = diagonalOf(computeBounds(repaired.positions));
  record('reduction', () => {
    const options = { accuracyMm: ACCURACY_FRACTION * diagonalMm, maxAngle: 20, numberOfIterations: 2 };
    const result = reduceTriangles(repaired, repairedAnalysis, options);
    return digestMesh(result.mesh) + digestReport(result.maxDistanceMm);
  });
  record('hollowing', () => {
    const options = { wallMm: WALL_FRACTION * diagonalMm, reduce: reduceSolid };
    const { mesh: result, cavityCount, flatWallMm } = hollow(repaired, repairedAnalysis, options);
    return digestMesh(result) + digestReport({ cavityCount, flatWallMm });
  });
  record('walls', () => {
    const { marked, ...flags } = analyzeWalls(repaired, { minThicknessMm: WALL_FRACTION * diagonalMm, accuracy: 0.5 });
    return digestMesh(marked) + digestReport(flags);
  });
  return digests;
}

function digestExport(mesh: IndexedMesh, format: string): string {
  const fit = fitToFormat(mesh, format);
  return digestBytes(serializeModel(fit.mesh, format)) + (fit.report ? digestReport(fit.report) : '');
}

function digestThumbnail(mesh: IndexedMesh): string {
  const image = renderImage(mesh, { width: 160, height: 120, angles: ANGLES, isTransparent: true });
  return digestBytes(serializePng(image, zlib));
}

/** Returns the code of a `MeshError` where `compute` throws one. Throws every other error. */
export function orErrorCode(compute: () => string): string {
  try {
    return compute();
  } catch (error) {
    if (error instanceof MeshError) return error.code;
    throw error;
  }
}
