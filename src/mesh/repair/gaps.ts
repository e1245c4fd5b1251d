import type { Analysis, Report, ReportWarning } from '../analysis/report.js';
import { lazy } from '../core/lazy.js';
import { pairKey } from '../core/pair-key.js';
import { dot } from '../core/vec3.js';
import { distance } from '../geometry/distance.js';
import { createMeshState, type MeshState } from '../spatial/mesh-index.js';
import { findNearPairs } from '../spatial/near-pairs.js';
import { nextOf, previousOf } from '../topology/half-edge.js';
import { verticesOfHalfEdges } from '../topology/half-edge-vertices.js';
import type { TaggedMesh } from '../topology/tagged-mesh.js';
import { changed, type RepairStep, type StepContext, type StepResult, unchanged } from './step.js';
import { mergeWithin, type Stitched } from './stitch.js';
import { splitNearEdges } from './t-junctions.js';

/**
 * Gaps are closed only if at most this fraction of the length of all boundaries stays open. Faces that were tessellated
 * apart match all around; the boundaries of two open bodies that are beside each other match on one side only.
 */
const MAX_OPEN_FRACTION = 0.5;
/** Faces have at most this fraction of the sides of their triangles at their boundaries; triangles by themselves have all. */
const MAX_BOUNDARY_FRACTION = 0.5;
/** Triangles by themselves are beside each other if more than this fraction of their vertices are near others. */
const MIN_NEIGHBORS_FRACTION = 0.05;
/** Gaps are not closed if more than this fraction of what was closed becomes a fold. */
const MAX_FOLDED_FRACTION = 0.1;
/** Two triangles fold at their edge if the cosine of the angle between them is above this: one lies on the other. */
const FOLD_COSINE = 0.99;

/** A volume that can be wrong by more than this fraction, because gaps are wide in relation to walls, is named. */
const MAX_UNCERTAIN_FRACTION = 0.005;

/**
 * The step `gaps`. Closes the gaps between faces that were tessellated one by one, as in an STL of a badly sewn CAD model:
 * merges boundary vertices, the closest first, and splits boundary edges at the vertices near them (Barequet & Kumar
 * 1997; Borodin, Novotni & Klein 2002). Of the distances in `gapMm`, the smallest is used that leaves the shortest
 * boundaries. The mesh stays as it is if they stay open for the most part, or if the two sides of a thin wall would
 * fall together. The notes count merged vertices and split edges.
 */
export const GAPS: RepairStep = { name: 'gaps', run: closeGaps };

/**
 * Returns the warning `GAPS_CLOSED` if closed gaps make the volume uncertain by more than 0.5 %. The surface is on average half
 * a gap from where it should be, and gaps are on average half as wide as the widest one.
 */
export function createGapWarnings(
  { steps, maxDisplacementMm }: Pick<Report, 'steps' | 'maxDisplacementMm'>,
  { surfaceAreaMm2, volumeMm3 }: Analysis,
): ReportWarning[] {
  if (!steps.some(({ name, changed: count }) => name === GAPS.name && count > 0)) return [];
  const fraction = (surfaceAreaMm2 * maxDisplacementMm) / 4 / volumeMm3;
  if (!(fraction > MAX_UNCERTAIN_FRACTION)) return [];
  const [gap, percent] = [maxDisplacementMm, 100 * fraction].map((value) => value.toPrecision(2));
  const message = `Gaps of up to ${gap} mm between faces were closed: the volume can be wrong by ${percent} %. Compare the result with the model.`;
  return [{ code: 'GAPS_CLOSED', message }];
}

function closeGaps(mesh: TaggedMesh, { index, tolerances, budget }: StepContext): StepResult {
  const source: Stitched = { state: { mesh, index }, count: 0, maxDisplacementMm: 0 };
  if (isSoup(source.state) && !haveNeighbors(source.state, Math.max(...tolerances.gapMm))) return unchanged(mesh);
  const sourceMm = measureBoundary(source.state);
  const sourceFoldsMm = lazy(() => measureFolds(source.state));
  let best = source;
  let bestMm = sourceMm * MAX_OPEN_FRACTION;
  for (const limitMm of tolerances.gapMm) {
    if (bestMm === 0) break;
    const closed = closeWithin(source, limitMm, budget.junctionRounds);
    const openMm = measureBoundary(closed.state);
    if (openMm >= bestMm) continue;
    // The two sides of a wall or of a strip may have fallen together.
    const foldedMm = measureFolds(closed.state) - sourceFoldsMm();
    if (foldedMm <= MAX_FOLDED_FRACTION * (sourceMm - openMm)) [best, bestMm] = [closed, openMm];
  }
  const { state, count, maxDisplacementMm } = best;
  return best === source ? unchanged(mesh) : changed(state, { count, maxDisplacementMm });
}

/** Returns whether most triangles have no neighbors. */
function isSoup({ mesh: { triangles }, index }: MeshState): boolean {
  return index.edgeDefects().boundary.length > MAX_BOUNDARY_FRACTION * triangles.length;
}

/**
 * Returns whether vertices of boundaries are near others that are not next to them. That takes a small part of the time of
 * a round; triangles in all directions would take twenty rounds in vain.
 */
function haveNeighbors({ mesh: { positions, triangles }, index }: MeshState, limitMm: number): boolean {
  const keyOf = (a: number, b: number) => pairKey(a, b, positions.length / 3);
  const { boundary } = index.edgeDefects();
  const edges = new Set(boundary.map((h) => keyOf(triangles[h], triangles[nextOf(h)])));
  const vertices = verticesOfHalfEdges(triangles, boundary);
  const near = new Set<number>();
  for (const { a, b } of findNearPairs(positions, vertices, () => limitMm))
    if (!edges.has(keyOf(a, b))) near.add(a).add(b);
  return near.size > MIN_NEIGHBORS_FRACTION * vertices.length;
}

/** Merges vertices and splits edges within `limitMm`, in rounds: vertices on an edge create edges that others lie on. */
function closeWithin(source: Stitched, limitMm: number, rounds: number): Stitched {
  let current = source;
  for (let round = 0; round < rounds && current.state.index.edgeDefects().boundary.length > 0; round++) {
    const merged = mergeWithin(current, limitMm);
    const { state, ...notes } = merged ?? current;
    const split = splitNearEdges(state, limitMm);
    if (!merged && !split) break;
    current = split
      ? { ...notes, state: createMeshState(split.mesh), count: notes.count + split.count }
      : { ...notes, state };
  }
  return current;
}

/** Returns the length of all boundary edges. */
function measureBoundary({ mesh: { positions, triangles }, index }: MeshState): number {
  const lengthOf = (h: number) => distance(positions, triangles[h], triangles[nextOf(h)]);
  return index.edgeDefects().boundary.reduce((sum, h) => sum + lengthOf(h), 0);
}

/** Returns the length of the edges of two triangles of which one lies on the other, whatever their winding. */
function measureFolds({ mesh: { positions, triangles }, index }: MeshState): number {
  const { order, starts } = index.edges();
  let lengthMm = 0;
  for (let edge = 0; edge + 1 < starts.length; edge++) {
    if (starts[edge + 1] - starts[edge] !== 2) continue;
    const [g, h] = [order[starts[edge]], order[starts[edge] + 1]];
    const [a, b] = [triangles[h], triangles[nextOf(h)]];
    const heights = [g, h].map((each) => heightVector(positions, a, b, triangles[previousOf(each)]));
    const [left, right] = heights;
    if (dot(left, right) > FOLD_COSINE * Math.hypot(...left) * Math.hypot(...right))
      lengthMm += distance(positions, a, b);
  }
  return lengthMm;
}

/** Returns the vector from the line a → b to a vertex. */
function heightVector(positions: Float64Array, a: number, b: number, vertex: number): number[] {
  const u = [0, 1, 2].map((k) => positions[b * 3 + k] - positions[a * 3 + k]);
  const v = [0, 1, 2].map((k) => positions[vertex * 3 + k] - positions[a * 3 + k]);
  const t = dot(u, v) / dot(u, u);
  return v.map((part, k) => part - t * u[k]);
}
