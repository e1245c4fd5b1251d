import type { IndexedMesh, MeshGeometry } from '../core/mesh.js';
import { createWorkCounter, type WorkCounter } from '../core/work-counter.js';
import { EditableMesh } from '../editing/editable-mesh.js';
import { markDegenerateTriangles } from '../geometry/degenerate-triangles.js';
import { type Point, ZERO } from '../geometry/far-origin.js';
import { roundToFloat32From } from '../geometry/float32-ulp.js';
import { maxDisplacement } from '../geometry/max-displacement.js';
import { classifyTrianglePair } from '../intersections/classify-triangle-pair.js';
import { markNonSelfIntersectingNodes } from '../intersections/prune-nodes.js';
import { type Bvh, buildBvh } from '../spatial/bvh.js';
import { forEachOverlappingPair } from '../spatial/overlapping-pairs.js';
import { findTwinsIfClosed } from '../topology/closed-twins.js';
import { triangleOf } from '../topology/half-edge.js';
import { fromTaggedMesh, selectTriangles, toTaggedMesh } from '../topology/tagged-mesh.js';
import { limitTests, repairBrokenTriangles } from './repair-broken-triangles.js';
import { resolveRemainingIntersections } from './resolve-remaining.js';
import { restoreShellOrientation } from './restore-shell-orientation.js';

/** Limit of tested pairs per triangle, as in `findIntersections`. */
const MAX_PAIRS_PER_TRIANGLE = 100;
/** Limit of tested pairs for small meshes. */
const MIN_PAIR_BUDGET = 5_000_000;

/** Units of work of all edits and retries, for each triangle of the mesh. */
const WORK_PER_TRIANGLE = 200;
/** The limit of the work for small meshes: a few seconds. */
const MIN_WORK = 12_000_000;

/** Retries with a self-union and another rounding. */
const MAX_RETRIES = 3;

/** The result of rounding a mesh to float32. */
export interface RoundedMesh {
  /** A mesh of rounded coordinates. The source itself if they already were float32, or if one exceeds float32. */
  mesh: IndexedMesh;
  /** Number of triangles that are degenerate or intersect others because of the rounding. */
  brokenTriangles: number;
  /** Largest distance that a vertex was moved, by the rounding and by the repairs after it. */
  maxDisplacementMm: number;
  /** Whether the repairs ended at the limit of their work. */
  isWorkExceeded: boolean;
}

/**
 * Rounds the coordinates of a mesh to float32, and removes the intersections that this causes in a closed mesh.
 *
 * 1. Rounds all coordinates to the nearest float32.
 * 2. Finds the triangles that became degenerate or intersect others.
 * 3. Repairs them by small edits: collapses and flips edges, and moves vertices to other float32 positions.
 * 4. If some are still broken, resolves them by a self-union, and rounds its result again.
 *
 * Snap rounding in 3D (Fortune 1999) would subdivide the triangles near every vertex; this only edits the triangles
 * that rounding broke, but cannot guarantee success. Existing defects stay as they are. A mesh that is not closed is
 * only rounded. Deterministic. Returns the mesh itself if all coordinates are float32, or if one exceeds float32.
 *
 * @param origin coordinates are rounded such that their differences from it are float32. Default: zero.
 */
export function roundToFloat32(mesh: IndexedMesh, origin: Point = ZERO): RoundedMesh {
  const work = createWorkCounter(Math.max(MIN_WORK, (mesh.triangles.length / 3) * WORK_PER_TRIANGLE));
  let best = roundPass(mesh, origin, work);
  for (let retry = 0; retry < MAX_RETRIES && best.brokenTriangles > 0 && best.wasValidBefore; retry++) {
    const resolved = resolveRemainingIntersections(best.mesh, best.brokenTriangles, work, origin);
    if (resolved === undefined) break;
    const next = roundPass(resolved.mesh, origin, work);
    if (next.brokenTriangles >= best.brokenTriangles || !next.wasValidBefore) break;
    const maxDisplacementMm = best.maxDisplacementMm + resolved.maxDisplacementMm + next.maxDisplacementMm;
    best = { ...next, maxDisplacementMm };
  }
  const { wasValidBefore: _, ...rounded } = best;
  return { ...rounded, isWorkExceeded: work.isExceeded() };
}

/** Rounds and repairs once. `wasValidBefore` is true if the source is closed and had no defects. */
function roundPass(
  mesh: IndexedMesh,
  origin: Point,
  work: WorkCounter,
): Omit<RoundedMesh, 'isWorkExceeded'> & { wasValidBefore: boolean } {
  const { triangles } = mesh;
  const rounded: IndexedMesh = { ...mesh, positions: roundPositions(mesh.positions, origin) };
  const isMoved = markMovedTriangles(mesh, rounded.positions);
  if (isMoved === undefined) return { mesh, brokenTriangles: 0, maxDisplacementMm: 0, wasValidBefore: true };
  const toResult = (orientedTriangles: Uint32Array, wasValidBefore: boolean) => {
    const maxDisplacementMm = maxDisplacement(mesh.positions, rounded.positions);
    return {
      mesh: { ...rounded, triangles: orientedTriangles },
      brokenTriangles: 0,
      maxDisplacementMm,
      wasValidBefore,
    };
  };
  const twins = findTwinsIfClosed(triangles, mesh.positions.length / 3);
  if (twins === undefined) return toResult(triangles, false);
  const tree = buildBvh(rounded.positions, triangles);
  const { broken, isIgnored } = findBrokenTriangles(mesh, rounded, isMoved, tree, twins);
  const wasValidBefore = !isIgnored.includes(1);
  if (broken.length === 0) return toResult(restoreShellOrientation(mesh, rounded, twins), wasValidBefore);
  const surface = new EditableMesh(
    rounded.positions,
    triangles.slice(),
    isIgnored,
    tree,
    limitTests(broken.length, work),
  );
  const remaining = repairBrokenTriangles(surface, broken, origin, work);
  const maxDisplacementMm = maxDisplacement(mesh.positions, surface.positions, (vertex) =>
    surface.currentVertex(vertex),
  );
  const orientedTriangles = restoreShellOrientation(mesh, surface, twins, surface.isRemoved);
  return {
    mesh: toIndexedMesh(surface, orientedTriangles, mesh),
    brokenTriangles: remaining.length,
    maxDisplacementMm,
    wasValidBefore,
  };
}

function roundPositions(positions: Float64Array, [x, y, z]: Point): Float64Array {
  const rounded = new Float64Array(positions.length);
  for (let i = 0; i < positions.length; i += 3) {
    rounded[i] = roundToFloat32From(positions[i], x);
    rounded[i + 1] = roundToFloat32From(positions[i + 1], y);
    rounded[i + 2] = roundToFloat32From(positions[i + 2], z);
  }
  return rounded;
}

/**
 * Marks the triangles with a corner that rounding moves (triangle → 1). Returns `undefined` if no vertex moves, or if a
 * coordinate exceeds float32.
 */
function markMovedTriangles({ positions, triangles }: IndexedMesh, rounded: Float64Array): Uint8Array | undefined {
  const isMovedVertex = new Uint8Array(positions.length / 3);
  let hasMoved = false;
  for (let i = 0; i < positions.length; i++) {
    const value = rounded[i];
    if (value === positions[i]) continue;
    if (!Number.isFinite(value)) return undefined;
    isMovedVertex[(i - (i % 3)) / 3] = 1;
    hasMoved = true;
  }
  if (!hasMoved) return undefined;
  const isMoved = new Uint8Array(triangles.length / 3);
  for (let i = 0; i < triangles.length; i++) if (isMovedVertex[triangles[i]] === 1) isMoved[triangleOf(i)] = 1;
  return isMoved;
}

/** Finds the triangles that rounding broke, and marks those that were defective before (`isIgnored`: triangle → 1). */
function findBrokenTriangles(
  before: MeshGeometry,
  after: MeshGeometry,
  isMoved: Uint8Array,
  tree: Bvh,
  twins: Int32Array,
) {
  const { positions, triangles } = after;
  const isIgnored = markDegenerateTriangles(before);
  const isDegenerate = markDegenerateTriangles(after);
  const isBroken = isDegenerate.slice();
  let pairBudget = Math.max(MIN_PAIR_BUDGET, isDegenerate.length * MAX_PAIRS_PER_TRIANGLE);
  const visit = (a: number, b: number): boolean => {
    if (--pairBudget < 0) return false;
    if (isMoved[a] === 0 && isMoved[b] === 0) return true;
    if (isIgnored[a] === 1 && isIgnored[b] === 1) return true; // whatever the pair is, it changes nothing
    if (isDegenerate[a] === 1 || isDegenerate[b] === 1 || classifyTrianglePair(positions, triangles, a, b) === 'apart')
      return true;
    const marks = classifyTrianglePair(before.positions, triangles, a, b) === 'apart' ? isBroken : isIgnored;
    marks[a] = 1;
    marks[b] = 1;
    return true;
  };
  forEachOverlappingPair(tree, visit, markNonSelfIntersectingNodes(after, tree, twins));
  const broken: number[] = [];
  for (let triangle = 0; triangle < isBroken.length; triangle++)
    if (isBroken[triangle] === 1 && isIgnored[triangle] === 0) broken.push(triangle);
  return { broken, isIgnored };
}

/** Creates a mesh of the triangles that were not removed, with the objects of the source. */
function toIndexedMesh(
  { positions, isRemoved }: EditableMesh,
  triangles: Uint32Array,
  { objects }: IndexedMesh,
): IndexedMesh {
  const remainingTriangles: number[] = [];
  for (let triangle = 0; triangle < isRemoved.length; triangle++)
    if (isRemoved[triangle] === 0) remainingTriangles.push(triangle);
  const tagged = toTaggedMesh(objects ? { positions, triangles, objects } : { positions, triangles });
  return fromTaggedMesh(selectTriangles(tagged, remainingTriangles), objects);
}
