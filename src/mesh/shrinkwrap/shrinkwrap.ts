import { analyzeWithPlaces } from '../analysis/analyze.js';
import { createLedgerEntry, sumEntries } from '../analysis/ledger-numbers.js';
import type { RepairResult } from '../analysis/repair-result.js';
import type { AnalysisWithPlaces, Report, ReportWarning } from '../analysis/report.js';
import { selectShells } from '../analysis/select-shells.js';
import { createUnchangedReport } from '../analysis/unchanged-report.js';
import { hasMatchingEdges, verdictOf } from '../analysis/verdict.js';
import { createVolumeWarnings } from '../analysis/volume-warnings.js';
import { createWorkLimitWarning } from '../analysis/work-limit-warning.js';
import type { IndexedMesh, OnProgress } from '../core/mesh.js';
import { createWorkCounter, type WorkCounter } from '../core/work-counter.js';
import { computeBounds, diagonalOf } from '../geometry/bounds.js';
import { isosurface } from '../isosurface/isosurface.js';
import { type Bvh, buildBvh } from '../spatial/bvh.js';
import { DistanceQuery } from '../spatial/distance-query.js';
import { createGridAround } from '../spatial/grid.js';
import { createLattice } from '../spatial/lattice.js';
import { findTwinsIfClosed } from '../topology/closed-twins.js';
import { limitSource, type WrapSource } from './limit-source.js';
import { createVertexProjection } from './project-vertices.js';
import { BAND_WIDTH, createWrapField, SHEET_HALF_THICKNESS } from './wrap-field.js';

/** The resolution of a wrap. */
export type WrapAccuracy = 'Rough' | 'Smooth' | 'Detailed';

/** Cubes of the grid along the diagonal of the model. */
const CELLS_PER_DIAGONAL: Readonly<Record<WrapAccuracy, number>> = { Rough: 64, Smooth: 128, Detailed: 320 };
/** Margin of the grid around the model, in cubes: the thickness of sheets plus one. */
const MARGIN_CELLS = 3;
/** A void with less area than this many sides of a cube is an artifact of the grid. */
const MIN_VOID_AREA_CELLS = 30;
/** A body with less area is an artifact of the grid: the wrap of a point has an area of ten. */
const MIN_BODY_AREA_CELLS = 7;
/** If rounding keeps the wrap from being solid, a slightly finer grid is tried. */
const MAX_ATTEMPTS = 3;
const REFINEMENT_FACTOR = 0.97;
/** No point of a wrap is farther from the surface, in cubes. */
const MAX_DISTANCE_CELLS = 3;
/** Nodes and triangles of the BVH that a wrap visits per triangle of the surface, at most. */
export const MAX_VISITS_PER_TRIANGLE = 1000;
/** The same limit for small models. So many visits take four seconds. */
export const MIN_VISIT_LIMIT = 200_000_000;

/** What closing a mesh reports. */
export type ClosingSummary = Pick<Report, 'steps' | 'warnings' | 'filledAreaMm2' | 'maxDisplacementMm' | 'innerShells'>;

/** Returns the surface to wrap: a mesh with its holes filled, without unused vertices. */
export type MeshCloser = (mesh: IndexedMesh) => { surface: IndexedMesh; summary: ClosingSummary };

export interface ShrinkwrapOptions {
  accuracy: WrapAccuracy;
  /** Fills the holes of the mesh before it is wrapped. */
  close: MeshCloser;
  onProgress?: OnProgress | undefined;
  /** The analysis of the mesh, if it was computed before. */
  precomputed?: AnalysisWithPlaces | undefined;
}

/**
 * Replaces the surface of any mesh by that of a solid: the isosurface of its distance field on a grid (see
 * `createWrapField`). The mesh is first closed by `close`, so that holes of any size are filled. Bodies keep their
 * size; sheets and walls thinner than about two cubes become that thick. No point of the wrap is farther than three
 * cubes from the closed surface: `maxDisplacementMm` is the maximum at its vertices and the centroids of its triangles.
 * Fails only if the mesh has no valid triangles. Memory: about 20 bytes per cube of the grid (at most seven million),
 * and 100 bytes per triangle.
 */
export function shrinkwrap(
  mesh: IndexedMesh,
  { accuracy, close, onProgress, precomputed }: ShrinkwrapOptions,
): RepairResult {
  const analyzed = precomputed ?? analyzeWithPlaces(mesh);
  onProgress?.(0.2);
  const { surface, summary } = close(mesh);
  const { positions, triangles } = surface;
  const diagonalMm = diagonalOf(computeBounds(positions));
  if (!(diagonalMm > 0)) return createFailure(mesh, analyzed);
  onProgress?.(0.3);
  const isClosed = findTwinsIfClosed(triangles, positions.length / 3) !== undefined;
  const requestedMm = diagonalMm / CELLS_PER_DIAGONAL[accuracy];
  const source = limitSource(surface, requestedMm, BAND_WIDTH);
  const tree = buildBvh(source.distinct.positions, source.distinct.triangles);
  const work = createVisitCounter(triangles.length / 3);
  let stepMm = source.stepMm;
  let wrap = wrapOnce(source, tree, isClosed, stepMm, work);
  for (let attempt = 1; attempt < MAX_ATTEMPTS && verdictOf(wrap.analyzed.analysis).level !== 'solid'; attempt++) {
    stepMm *= REFINEMENT_FACTOR;
    wrap = wrapOnce(source, tree, isClosed, stepMm, work);
  }
  onProgress?.(0.9);
  const maxDisplacementMm = Math.max(
    summary.maxDisplacementMm,
    computeMaxDistance(wrap.mesh, surface, stepMm, source.distinct === surface ? tree : undefined),
  );
  onProgress?.(1);
  const isLimited = work.isExceeded() || source.stepMm > requestedMm;
  const warnings = isLimited ? [...summary.warnings, createWorkLimitWarning('shrinkwrap')] : summary.warnings;
  return createResult(mesh, analyzed, wrap, { ...summary, warnings, maxDisplacementMm }, stepMm);
}

function createVisitCounter(triangleCount: number): WorkCounter {
  return createWorkCounter(Math.max(MIN_VISIT_LIMIT, triangleCount * MAX_VISITS_PER_TRIANGLE));
}

function wrapOnce(source: WrapSource, tree: Bvh, isClosed: boolean, stepMm: number, work: WorkCounter) {
  const grid = createGridAround(computeBounds(source.surface.positions), stepMm, MARGIN_CELLS * stepMm);
  const field = createWrapField(source, tree, createLattice(grid), isClosed, work);
  const offsetMm = SHEET_HALF_THICKNESS * stepMm;
  const distanceQuery = new DistanceQuery(source.distinct, tree, undefined, work);
  const moveVertex = createVertexProjection(source.distinct, distanceQuery, { stepMm, offsetMm });
  const mesh = dropArtifacts(isosurface(field, { growingSide: 'inside', moveVertex }), stepMm);
  return { mesh, analyzed: analyzeWithPlaces(mesh) };
}

/** Drops shells of a few cubes, which the grid creates where a wall or an edge is about as thin as a cube. */
function dropArtifacts(mesh: IndexedMesh, stepMm: number): IndexedMesh {
  return selectShells(
    mesh,
    (areaMm2, volumeMm3) => areaMm2 >= (volumeMm3 < 0 ? MIN_VOID_AREA_CELLS : MIN_BODY_AREA_CELLS) * stepMm * stepMm,
  );
}

/** Returns the maximum distance of the vertices and centroids from the surface. At the limit of the work, an upper bound. */
function computeMaxDistance(
  { positions, triangles }: IndexedMesh,
  surface: IndexedMesh,
  stepMm: number,
  tree?: Bvh,
): number {
  const work = createVisitCounter(surface.triangles.length / 3);
  const distanceQuery = new DistanceQuery(surface, tree, undefined, work);
  let maxMm = 0;
  const measureAt = (x: number, y: number, z: number) => {
    maxMm = Math.max(maxMm, distanceQuery.distanceAt(x, y, z, maxMm));
  };
  for (let offset = 0; offset < positions.length; offset += 3)
    measureAt(positions[offset], positions[offset + 1], positions[offset + 2]);
  const centroidAt = (offset: number, axis: number) =>
    (positions[triangles[offset] * 3 + axis] +
      positions[triangles[offset + 1] * 3 + axis] +
      positions[triangles[offset + 2] * 3 + axis]) /
    3;
  for (let offset = 0; offset < triangles.length; offset += 3)
    measureAt(centroidAt(offset, 0), centroidAt(offset, 1), centroidAt(offset, 2));
  return work.isExceeded() ? MAX_DISTANCE_CELLS * stepMm : maxMm;
}

function createFailure(mesh: IndexedMesh, analyzed: AnalysisWithPlaces): RepairResult {
  const reason = 'the file contains no triangles with finite coordinates and a size';
  return { mesh, analyzed, report: createUnchangedReport(analyzed), isSuccessful: false, reason };
}

function createResult(
  mesh: IndexedMesh,
  { analysis: before, places }: AnalysisWithPlaces,
  wrap: { mesh: IndexedMesh; analyzed: AnalysisWithPlaces },
  summary: ClosingSummary,
  stepMm: number,
): RepairResult {
  const after = wrap.analyzed.analysis;
  // The steps of the closing and of the wrap add up.
  const closing = sumEntries(summary.steps);
  const differences = {
    triangles: after.triangles - before.triangles - closing.triangles,
    shells: after.shells - before.shells - closing.shells,
    volumeMm3: after.volumeMm3 - before.volumeMm3 - closing.volumeMm3,
  };
  const entry = createLedgerEntry('shrinkwrap', after.triangles, differences, 'the surface was replaced by a new one');
  const report = {
    ...summary,
    before,
    after,
    steps: [...summary.steps, entry],
    places,
    volumeChangeMm3: after.volumeMm3 - before.volumeMm3,
    areaChangeMm2: after.surfaceAreaMm2 - before.surfaceAreaMm2,
    warnings: [
      ...summary.warnings,
      createSurfaceReplacedWarning(mesh, stepMm, summary.maxDisplacementMm),
      ...createVolumeWarnings(before, after),
    ],
    verdict: verdictOf(after),
  };
  return { mesh: wrap.mesh, analyzed: wrap.analyzed, report, isSuccessful: hasMatchingEdges(after) };
}

function createSurfaceReplacedWarning(
  { objects }: IndexedMesh,
  stepMm: number,
  maxDisplacementMm: number,
): ReportWarning {
  const [cube, deviation, thin] = [stepMm, maxDisplacementMm, stepMm * 1.8].map((mm) => mm.toPrecision(3));
  const merged = objects && objects.length > 1 ? `, and its ${objects.length} objects are merged` : '';
  const resolution = `The surface was replaced by one made of cubes of ${cube} mm.`;
  const displacement = `It deviates from the old one by at most ${deviation} mm.`;
  const thickening = `Parts thinner than ${thin} mm are now that thick${merged}.`;
  return { code: 'SURFACE_REPLACED', message: `${resolution} ${displacement} ${thickening}` };
}
