import { analyzeWithPlaces } from '../analysis/analyze.js';
import { computeBounds, diagonalOf, measureGroups } from '../analysis/measure.js';
import type { AnalysisWithPlaces, ReportWarning } from '../analysis/report.js';
import { createUnchangedReport } from '../analysis/unchanged-report.js';
import { verdictOf } from '../analysis/verdict.js';
import type { IndexedMesh, OnProgress } from '../core/mesh.js';
import { createGridAround } from '../isosurface/grid.js';
import { isosurface } from '../isosurface/isosurface.js';
import { closeSurface, type StepSummary } from '../repair/close-surface.js';
import type { RepairResult } from '../repair/repair.js';
import { fromRepairMesh, toRepairMesh } from '../repair/repair-mesh.js';
import { volumeWarnings } from '../repair/result-warnings.js';
import { type RepairMesh, selectTriangles } from '../repair/step.js';
import { type Bvh, buildBvh } from '../spatial/bvh.js';
import { DistanceQuery } from '../spatial/distance-query.js';
import { createLattice } from '../spatial/lattice.js';
import { findTwinsIfClosed } from '../topology/closed-twins.js';
import { compact } from '../topology/compact.js';
import { buildEdges } from '../topology/edges.js';
import { findShells } from '../topology/shells.js';
import { wrapField } from './wrap-field.js';

/** How fine a wrap is. */
export type WrapAccuracy = 'Rough' | 'Smooth' | 'Detailed';

/** How many cubes the diagonal of the model is divided into. */
const CELLS_PER_DIAGONAL: Readonly<Record<WrapAccuracy, number>> = { Rough: 64, Smooth: 128, Detailed: 320 };
/** Room round the model, in cubes: for the thickness of sheets and one more. */
const MARGIN_CELLS = 3;
// Voids and bodies with less surface than this many sides of a cube are none of the model's, but of the grid: the least body that is wrapped, a
// point, has ten.
const MIN_VOID_AREA_CELLS = 30;
const MIN_BODY_AREA_CELLS = 7;
/** Where the verdict is not `solid`, which rounding only could bring about, a slightly finer grid is tried. */
const MAX_ATTEMPTS = 3;
const REFINEMENT_FACTOR = 0.97;

export interface ShrinkwrapOptions {
  accuracy: WrapAccuracy;
  onProgress?: OnProgress | undefined;
  /** The analysis of the mesh, where it is known. */
  precomputed?: AnalysisWithPlaces | undefined;
}

/**
 * Makes a solid of any mesh: a new surface round it, the zero of its distance field on a grid (see `wrapField`). The mesh is closed first as a
 * repair does it, so that holes, however large, become surface; what is a body then keeps its size, and sheets and walls thinner than about
 * two cubes become that thick. No point of the wrap is farther than three cubes from the closed surface: `maxDisplacementMm` says how far the
 * farthest is, by its corners and the middles of its triangles. Fails only where there is nothing to wrap. Memory: about 20 bytes a cube of
 * the grid, at most seven million, and 100 bytes a triangle of the wrap.
 */
export function shrinkwrap(mesh: IndexedMesh, { accuracy, onProgress, ...options }: ShrinkwrapOptions): RepairResult {
  const analyzed = options.precomputed ?? analyzeWithPlaces(mesh);
  onProgress?.(0.2);
  const { surface, summary } = prepareSurface(mesh);
  const { positions, triangles } = surface;
  const diagonalMm = diagonalOf(computeBounds(positions));
  if (!(diagonalMm > 0)) return nothingToWrap(mesh, analyzed);
  onProgress?.(0.3);
  const tree = buildBvh(positions, triangles);
  const isClosed = findTwinsIfClosed(triangles, positions.length / 3) !== undefined;
  let stepMm = diagonalMm / CELLS_PER_DIAGONAL[accuracy];
  let wrap = wrapOnce(surface, tree, isClosed, stepMm);
  for (let tries = 1; tries < MAX_ATTEMPTS && verdictOf(wrap.analyzed.analysis).level !== 'solid'; tries++) {
    stepMm *= REFINEMENT_FACTOR;
    wrap = wrapOnce(surface, tree, isClosed, stepMm);
  }
  onProgress?.(0.9);
  const maxDisplacementMm = Math.max(summary.maxDisplacementMm, maxDistance(wrap.mesh, surface, tree));
  onProgress?.(1);
  return resultOf(mesh, analyzed, wrap, { ...summary, maxDisplacementMm }, stepMm);
}

/** The surface to wrap: the mesh closed, or what of it has a place where closing leaves nothing. Without unused vertices. */
function prepareSurface(mesh: IndexedMesh): { surface: IndexedMesh; summary: StepSummary } {
  const source = toRepairMesh(mesh);
  const { mesh: closed, summary } = closeSurface(source, diagonalOf(computeBounds(mesh.positions)), {
    preserveTopology: true,
  });
  const surface = fromRepairMesh(closed.triangles.length > 0 ? closed : keepFiniteTriangles(source));
  return { surface, summary };
}

/** The triangles whose corners are finite. */
function keepFiniteTriangles(mesh: RepairMesh): RepairMesh {
  const hasPlace = (vertex: number) => [0, 1, 2].every((axis) => Number.isFinite(mesh.positions[vertex * 3 + axis]));
  const kept: number[] = [];
  for (let offset = 0; offset < mesh.triangles.length; offset += 3)
    if (mesh.triangles.subarray(offset, offset + 3).every(hasPlace)) kept.push(offset / 3);
  return selectTriangles(mesh, kept);
}

function wrapOnce(surface: IndexedMesh, tree: Bvh, isClosed: boolean, stepMm: number) {
  const grid = createGridAround(computeBounds(surface.positions), stepMm, MARGIN_CELLS * stepMm);
  const mesh = dropSpecks(isosurface(grid, wrapField(surface, tree, createLattice(grid), isClosed)), stepMm);
  return { mesh, analyzed: analyzeWithPlaces(mesh) };
}

/** Leaves out bubbles and specks of a cube or two: the grid makes them where a wall or an edge is about as thin as a cube. */
function dropSpecks({ positions, triangles }: IndexedMesh, stepMm: number): IndexedMesh {
  const shells = findShells(triangles.length / 3, buildEdges(triangles, positions.length / 3));
  const { areaMm2, volumeMm3 } = measureGroups({ positions, triangles }, shells.shellOf, shells.count);
  const isSpeck = Array.from(
    volumeMm3,
    (volume, shell) => areaMm2[shell] < (volume < 0 ? MIN_VOID_AREA_CELLS : MIN_BODY_AREA_CELLS) * stepMm * stepMm,
  );
  const kept = triangles.filter((_, i) => !isSpeck[shells.shellOf[Math.floor(i / 3)]]);
  if (kept.length === triangles.length) return { positions, triangles };
  const { newVertexOf: _, ...left } = compact(positions, kept);
  return left;
}

/** How far the farthest corner or middle of a triangle is from the surface. */
function maxDistance({ positions, triangles }: IndexedMesh, surface: IndexedMesh, tree: Bvh): number {
  const search = new DistanceQuery(surface, tree);
  let maxMm = 0;
  const look = (x: number, y: number, z: number) => {
    maxMm = Math.max(maxMm, search.distanceAt(x, y, z, maxMm));
  };
  for (let offset = 0; offset < positions.length; offset += 3)
    look(positions[offset], positions[offset + 1], positions[offset + 2]);
  const middle = (offset: number, axis: number) =>
    (positions[triangles[offset] * 3 + axis] +
      positions[triangles[offset + 1] * 3 + axis] +
      positions[triangles[offset + 2] * 3 + axis]) /
    3;
  for (let offset = 0; offset < triangles.length; offset += 3)
    look(middle(offset, 0), middle(offset, 1), middle(offset, 2));
  return maxMm;
}

function nothingToWrap(mesh: IndexedMesh, analyzed: AnalysisWithPlaces): RepairResult {
  const reason = 'the file holds no triangle that has a place and a size';
  return { mesh, analyzed, report: createUnchangedReport(analyzed), isSuccessful: false, reason };
}

function resultOf(
  mesh: IndexedMesh,
  { analysis: before, places }: AnalysisWithPlaces,
  wrap: { mesh: IndexedMesh; analyzed: AnalysisWithPlaces },
  summary: StepSummary,
  stepMm: number,
): RepairResult {
  const after = wrap.analyzed.analysis;
  const report = {
    ...summary,
    before,
    after,
    steps: [...summary.steps, { name: 'shrinkwrap', changed: after.triangles }],
    places,
    volumeChangeMm3: after.volumeMm3 - before.volumeMm3,
    areaChangeMm2: after.surfaceAreaMm2 - before.surfaceAreaMm2,
    warnings: [
      ...summary.warnings,
      surfaceReplacedWarning(mesh, stepMm, summary.maxDisplacementMm),
      ...volumeWarnings(before, after),
    ],
    verdict: verdictOf(after),
  };
  return { mesh: wrap.mesh, analyzed: wrap.analyzed, report, isSuccessful: report.verdict.level !== 'open' };
}

function surfaceReplacedWarning({ objects }: IndexedMesh, stepMm: number, maxDisplacementMm: number): ReportWarning {
  const [cube, maxDistance, thin] = [stepMm, maxDisplacementMm, stepMm * 1.8].map((mm) => mm.toPrecision(3));
  const joined = objects && objects.length > 1 ? `, and its ${objects.length} objects are one` : '';
  const message = `The surface is a new one, made of cubes of ${cube} mm: at most ${maxDistance} mm from the old one; what was thinner than ${thin} mm is that thick now${joined}`;
  return { code: 'SURFACE_REPLACED', message };
}
