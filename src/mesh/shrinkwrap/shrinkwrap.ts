import { analyzeWithPlaces } from '../analysis/analyze.js';
import { computeBounds, diagonalOf, measureGroups } from '../analysis/measure.js';
import { createUnchangedReport } from '../analysis/unchanged-report.js';
import { verdictOf } from '../analysis/verdict.js';
import { gridRound } from '../isosurface/grid.js';
import { isosurface } from '../isosurface/isosurface.js';
import type { IndexedMesh, OnProgress } from '../mesh.js';
import { closeSurface, type StepSummary } from '../repair/close-surface.js';
import { fromRepairMesh, toRepairMesh } from '../repair/object-tags.js';
import type { RepairResult } from '../repair/repair.js';
import { volumeWarnings } from '../repair/result-warnings.js';
import { type RepairMesh, selectTriangles } from '../repair/step.js';
import type { AnalysisWithPlaces, ReportWarning } from '../report.js';
import { DistanceQuery } from '../spatial/closest-point.js';
import { createLattice } from '../spatial/lattice.js';
import { type Bvh, buildBvh } from '../spatial/triangle-tree.js';
import { findTwinsIfClosed } from '../topology/closed-twins.js';
import { compact } from '../topology/compact.js';
import { buildEdges } from '../topology/edges.js';
import { findShells } from '../topology/shells.js';
import { wrapField } from './wrap-field.js';

/** How fine a wrap is. */
export type WrapAccuracy = 'Rough' | 'Smooth' | 'Detailed';

/** How many cubes the diagonal of the model is divided into. */
const CUBES: Readonly<Record<WrapAccuracy, number>> = { Rough: 64, Smooth: 128, Detailed: 320 };
/** Room round the model, in cubes: for the thickness of sheets and one more. */
const MARGIN_CUBES = 3;
// Voids and bodies with less surface than this many sides of a cube are none of the model's, but of the grid: the least body that is wrapped, a
// point, has ten.
const BUBBLE_SIDES = 30;
const SPECK_SIDES = 7;
/** Where the verdict is not `solid`, which rounding only could bring about, a slightly finer grid is tried. */
const TRIES = 3;
const FINER = 0.97;

export interface ShrinkwrapOptions {
  accuracy: WrapAccuracy;
  onProgress?: OnProgress | undefined;
  /** The analysis of the mesh, where it is known. */
  known?: AnalysisWithPlaces | undefined;
}

/**
 * Makes a solid of any mesh: a new surface round it, the zero of its distance field on a grid (see `wrapField`). The mesh is closed first as a
 * repair does it, so that holes, however large, become surface; what is a body then keeps its size, and sheets and walls thinner than about
 * two cubes become that thick. No point of the wrap is farther than three cubes from the closed surface: `maxDisplacementMm` says how far the
 * farthest is, by its corners and the middles of its triangles. Fails only where there is nothing to wrap. Memory: about 20 bytes a cube of
 * the grid, at most seven million, and 100 bytes a triangle of the wrap.
 */
export function shrinkwrap(mesh: IndexedMesh, { accuracy, onProgress, ...options }: ShrinkwrapOptions): RepairResult {
  const known = options.known ?? analyzeWithPlaces(mesh);
  onProgress?.(0.2);
  const { surface, done } = surfaceOf(mesh);
  const { positions, triangles } = surface;
  const diagonalMm = diagonalOf(computeBounds(positions));
  if (!(diagonalMm > 0)) return nothingToWrap(mesh, known);
  onProgress?.(0.3);
  const tree = buildBvh(positions, triangles);
  const isClosed = findTwinsIfClosed(triangles, positions.length / 3) !== undefined;
  let stepMm = diagonalMm / CUBES[accuracy];
  let wrap = wrapOnce(surface, tree, isClosed, stepMm);
  for (let tries = 1; tries < TRIES && verdictOf(wrap.known.analysis).level !== 'solid'; tries++) {
    stepMm *= FINER;
    wrap = wrapOnce(surface, tree, isClosed, stepMm);
  }
  onProgress?.(0.9);
  const maxDisplacementMm = Math.max(done.maxDisplacementMm, farthest(wrap.mesh, surface, tree));
  onProgress?.(1);
  return resultOf(mesh, known, wrap, { ...done, maxDisplacementMm }, stepMm);
}

/** The surface to wrap: the mesh closed, or what of it has a place where closing leaves nothing. Without unused vertices. */
function surfaceOf(mesh: IndexedMesh): { surface: IndexedMesh; done: StepSummary } {
  const given = toRepairMesh(mesh);
  const { mesh: closed, summary: done } = closeSurface(given, diagonalOf(computeBounds(mesh.positions)), {
    preserveTopology: true,
  });
  const surface = fromRepairMesh(closed.triangles.length > 0 ? closed : withPlace(given));
  return { surface, done };
}

/** The triangles whose corners are finite. */
function withPlace(mesh: RepairMesh): RepairMesh {
  const hasPlace = (vertex: number) => [0, 1, 2].every((axis) => Number.isFinite(mesh.positions[vertex * 3 + axis]));
  const kept: number[] = [];
  for (let at = 0; at < mesh.triangles.length; at += 3)
    if (mesh.triangles.subarray(at, at + 3).every(hasPlace)) kept.push(at / 3);
  return selectTriangles(mesh, kept);
}

function wrapOnce(surface: IndexedMesh, tree: Bvh, isClosed: boolean, stepMm: number) {
  const grid = gridRound(computeBounds(surface.positions), stepMm, MARGIN_CUBES * stepMm);
  const mesh = withoutSpecks(isosurface(grid, wrapField(surface, tree, createLattice(grid), isClosed)), stepMm);
  return { mesh, known: analyzeWithPlaces(mesh) };
}

/** Leaves out bubbles and specks of a cube or two: the grid makes them where a wall or an edge is about as thin as a cube. */
function withoutSpecks({ positions, triangles }: IndexedMesh, stepMm: number): IndexedMesh {
  const shells = findShells(triangles.length / 3, buildEdges(triangles, positions.length / 3));
  const { areaMm2, volumeMm3 } = measureGroups({ positions, triangles }, shells.shellOf, shells.count);
  const isSpeck = Array.from(
    volumeMm3,
    (volume, shell) => areaMm2[shell] < (volume < 0 ? BUBBLE_SIDES : SPECK_SIDES) * stepMm * stepMm,
  );
  const kept = triangles.filter((_, i) => !isSpeck[shells.shellOf[Math.floor(i / 3)]]);
  if (kept.length === triangles.length) return { positions, triangles };
  const { newVertexOf: _, ...left } = compact(positions, kept);
  return left;
}

/** How far the farthest corner or middle of a triangle is from the surface. */
function farthest({ positions, triangles }: IndexedMesh, surface: IndexedMesh, tree: Bvh): number {
  const search = new DistanceQuery(surface, tree);
  let mostMm = 0;
  const look = (x: number, y: number, z: number) => {
    mostMm = Math.max(mostMm, search.distanceAt(x, y, z, mostMm));
  };
  for (let at = 0; at < positions.length; at += 3) look(positions[at], positions[at + 1], positions[at + 2]);
  const middle = (at: number, axis: number) =>
    (positions[triangles[at] * 3 + axis] +
      positions[triangles[at + 1] * 3 + axis] +
      positions[triangles[at + 2] * 3 + axis]) /
    3;
  for (let at = 0; at < triangles.length; at += 3) look(middle(at, 0), middle(at, 1), middle(at, 2));
  return mostMm;
}

function nothingToWrap(mesh: IndexedMesh, known: AnalysisWithPlaces): RepairResult {
  const reason = 'the file holds no triangle that has a place and a size';
  return { mesh, analyzed: known, report: createUnchangedReport(known), isSuccessful: false, reason };
}

function resultOf(
  mesh: IndexedMesh,
  { analysis: before, places }: AnalysisWithPlaces,
  wrap: { mesh: IndexedMesh; known: AnalysisWithPlaces },
  done: StepSummary,
  stepMm: number,
): RepairResult {
  const after = wrap.known.analysis;
  const report = {
    ...done,
    before,
    after,
    steps: [...done.steps, { name: 'shrinkwrap', changed: after.triangles }],
    places,
    volumeChangeMm3: after.volumeMm3 - before.volumeMm3,
    areaChangeMm2: after.surfaceAreaMm2 - before.surfaceAreaMm2,
    warnings: [...done.warnings, newSurface(mesh, stepMm, done.maxDisplacementMm), ...volumeWarnings(before, after)],
    verdict: verdictOf(after),
  };
  return { mesh: wrap.mesh, analyzed: wrap.known, report, isSuccessful: report.verdict.level !== 'open' };
}

function newSurface({ objects }: IndexedMesh, stepMm: number, maxDisplacementMm: number): ReportWarning {
  const [cube, farthest, thin] = [stepMm, maxDisplacementMm, stepMm * 1.8].map((mm) => mm.toPrecision(3));
  const joined = objects && objects.length > 1 ? `, and its ${objects.length} objects are one` : '';
  const message = `The surface is a new one, made of cubes of ${cube} mm: at most ${farthest} mm from the old one; what was thinner than ${thin} mm is that thick now${joined}`;
  return { code: 'SURFACE_REPLACED', message };
}
