import type { IndexedMesh, MeshGeometry } from '../core/mesh.js';
import { EditableMesh } from '../editing/editable-mesh.js';
import { markDegenerateTriangles } from '../geometry/degenerate-triangles.js';
import { maxDisplacement } from '../geometry/max-displacement.js';
import { classifyTrianglePair } from '../intersections/classify-triangle-pair.js';
import { markNonSelfIntersectingNodes } from '../intersections/prune-nodes.js';
import { fromRepairMesh, toRepairMesh } from '../repair/repair-mesh.js';
import { selectTriangles } from '../repair/step.js';
import { type Bvh, buildBvh } from '../spatial/bvh.js';
import { forEachOverlappingPair } from '../spatial/overlapping-pairs.js';
import { findTwinsIfClosed } from '../topology/closed-twins.js';
import { repairBrokenTriangles } from './repair-broken-triangles.js';
import { resolveRemainingIntersections } from './resolve-remaining.js';
import { restoreShellOrientation } from './restore-shell-orientation.js';

/** As the check of a mesh, gives up where nearly everything lies in one place. */
const MAX_PAIRS_PER_TRIANGLE = 100;
const MIN_PAIR_BUDGET = 5_000_000;

/** Times that what is left is made one outer surface, and rounded once more. */
const MAX_RETRIES = 3;

export interface RoundedMesh {
  /** All coordinates are float32. The mesh itself where they were. */
  mesh: IndexedMesh;
  /** Triangles that cross others, or have no area, because of the rounding: 0 where nothing is worse than before. */
  brokenTriangles: number;
  /** The farthest that a vertex was moved, by the rounding and after it. */
  maxDisplacementMm: number;
}

/**
 * Rounds coordinates to float32 so that a closed surface that did not cross itself does not then: where rounding makes triangles cross, touch or
 * lose their area, vertices near go to other float32 places, edges flip, and the shortest vanish; what that leaves is made one outer surface, which
 * is rounded once more. What was wrong before stays as it is, and a mesh that is not closed is only rounded. The same mesh gives the same result. A
 * mesh of float32 coordinates, or with one beyond them, comes back itself.
 */
export function roundToFloat32(mesh: IndexedMesh): RoundedMesh {
  let best = roundPass(mesh);
  for (let time = 0; time < MAX_RETRIES && best.brokenTriangles > 0 && best.wasValidBefore; time++) {
    const resolved = resolveRemainingIntersections(best.mesh, best.brokenTriangles);
    if (resolved === undefined) break;
    const again = roundPass(resolved.mesh);
    if (again.brokenTriangles >= best.brokenTriangles || !again.wasValidBefore) break;
    const maxDisplacementMm = best.maxDisplacementMm + resolved.maxDisplacementMm + again.maxDisplacementMm;
    best = { ...again, maxDisplacementMm };
  }
  const { wasValidBefore: _, ...rounded } = best;
  return rounded;
}

/** `wasValidBefore`: nothing was wrong but what rounding broke. */
function roundPass(mesh: IndexedMesh): RoundedMesh & { wasValidBefore: boolean } {
  const isMoved = markMovedTriangles(mesh);
  if (isMoved === undefined) return { mesh, brokenTriangles: 0, maxDisplacementMm: 0, wasValidBefore: true };
  const { triangles } = mesh;
  const rounded: IndexedMesh = { ...mesh, positions: mesh.positions.map((value) => Math.fround(value)) };
  const plainResult = (turned: Uint32Array, wasValidBefore: boolean) => {
    const maxDisplacementMm = maxDisplacement(mesh.positions, rounded.positions);
    return { mesh: { ...rounded, triangles: turned }, brokenTriangles: 0, maxDisplacementMm, wasValidBefore };
  };
  const twins = findTwinsIfClosed(triangles, mesh.positions.length / 3);
  if (twins === undefined) return plainResult(triangles, false);
  const tree = buildBvh(rounded.positions, triangles);
  const { bad, isIgnored } = findBrokenTriangles(mesh, rounded, isMoved, tree, twins);
  const wasValidBefore = !isIgnored.includes(1);
  if (bad.length === 0) return plainResult(restoreShellOrientation(mesh, rounded, twins), wasValidBefore);
  const surface = new EditableMesh(rounded.positions, triangles.slice(), isIgnored, tree);
  const left = repairBrokenTriangles(surface, bad);
  const maxDisplacementMm = maxDisplacement(mesh.positions, surface.positions, (vertex) =>
    surface.currentVertex(vertex),
  );
  const turned = restoreShellOrientation(mesh, surface, twins, surface.isRemoved);
  return { mesh: meshOf(surface, turned, mesh), brokenTriangles: left.length, maxDisplacementMm, wasValidBefore };
}

/** triangle → 1 where rounding moves a corner of it; nothing where it moves none, or where a coordinate is beyond float32. */
function markMovedTriangles({ positions, triangles }: IndexedMesh): Uint8Array | undefined {
  const isMovedVertex = new Uint8Array(positions.length / 3);
  let isAny = false;
  for (let i = 0; i < positions.length; i++) {
    const value = Math.fround(positions[i]);
    if (value === positions[i]) continue;
    if (!Number.isFinite(value)) return undefined;
    isMovedVertex[(i - (i % 3)) / 3] = 1;
    isAny = true;
  }
  if (!isAny) return undefined;
  const isMoved = new Uint8Array(triangles.length / 3);
  for (let i = 0; i < triangles.length; i++) if (isMovedVertex[triangles[i]] === 1) isMoved[(i - (i % 3)) / 3] = 1;
  return isMoved;
}

/** Triangles that rounding broke, and marks of those that were no better before. */
function findBrokenTriangles(
  before: MeshGeometry,
  after: MeshGeometry,
  isMoved: Uint8Array,
  tree: Bvh,
  twins: Int32Array,
) {
  const { positions, triangles } = after;
  const isIgnored = markDegenerateTriangles(before);
  const isFlat = markDegenerateTriangles(after);
  const isBroken = isFlat.slice();
  let pairsLeft = Math.max(MIN_PAIR_BUDGET, isFlat.length * MAX_PAIRS_PER_TRIANGLE);
  const visit = (a: number, b: number): boolean => {
    if (--pairsLeft < 0) return false;
    if (isMoved[a] === 0 && isMoved[b] === 0) return true;
    if (isFlat[a] === 1 || isFlat[b] === 1 || classifyTrianglePair(positions, triangles, a, b) === 'apart') return true;
    const marks = classifyTrianglePair(before.positions, triangles, a, b) === 'apart' ? isBroken : isIgnored;
    marks[a] = 1;
    marks[b] = 1;
    return true;
  };
  forEachOverlappingPair(tree, visit, markNonSelfIntersectingNodes(after, tree, twins));
  const bad: number[] = [];
  for (let triangle = 0; triangle < isBroken.length; triangle++)
    if (isBroken[triangle] === 1 && isIgnored[triangle] === 0) bad.push(triangle);
  return { bad, isIgnored };
}

function meshOf({ positions, isRemoved }: EditableMesh, triangles: Uint32Array, { objects }: IndexedMesh): IndexedMesh {
  const kept: number[] = [];
  for (let triangle = 0; triangle < isRemoved.length; triangle++) if (isRemoved[triangle] === 0) kept.push(triangle);
  const tagged = toRepairMesh(objects ? { positions, triangles, objects } : { positions, triangles });
  return fromRepairMesh(selectTriangles(tagged, kept), objects);
}
