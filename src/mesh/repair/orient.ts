import { createWorkLimitWarning } from '../analysis/work-limit-warning.js';
import { createWorkCounter, type WorkCounter } from '../core/work-counter.js';
import { doubleAreaNormal } from '../geometry/double-area-normal.js';
import type { Bvh } from '../spatial/bvh.js';
import { castRayFrom } from '../spatial/cast-ray.js';
import { createMeshState, type MeshState } from '../spatial/mesh-index.js';
import { createSidesQuery } from '../spatial/triangle-sides.js';
import { windingNumber } from '../spatial/winding-number.js';
import type { Edges } from '../topology/edges.js';
import { triangleOf } from '../topology/half-edge.js';
import { hasBalancedEdges } from '../topology/has-balanced-edges.js';
import { reverseTriangles } from '../topology/reverse-winding.js';
import type { TaggedMesh } from '../topology/tagged-mesh.js';
import { changed, type RepairContext, type RepairStep, type StepContext, type StepResult, unchanged } from './step.js';

/** Triangles that rays are tested against, for each triangle of the mesh. */
export const RAY_TESTS_PER_TRIANGLE = 200;

/** Creates the counter of the triangles that the rays of a step are tested against. `share`: of the work of all rays. */
export function createRayWork({ budget }: RepairContext, triangleCount: number, share = 1): WorkCounter {
  return createWorkCounter(Math.max(budget.minRayTests, triangleCount * RAY_TESTS_PER_TRIANGLE) * share);
}

/**
 * The step `orient`. Makes the winding of neighbors consistent. A patch grows over edges with two triangles, and keeps
 * the winding of its larger area. Patches at non-manifold edges are then compared with their shell by rays: a point is
 * outside if a ray from it crosses an even number of triangles. Those that face outward are flipped instead if they
 * have the smaller area: the shell is inverted, or a void. At the limit of its work, the patches that are left keep
 * their winding. The notes count triangles.
 */
export const ORIENT: RepairStep = { name: 'orient', run: orient };

function orient(mesh: TaggedMesh, context: StepContext): StepResult {
  const { index } = context;
  const { nonManifold, inconsistent } = index.edgeDefects();
  if (nonManifold.length === 0 && inconsistent.length === 0) return unchanged(mesh);
  const edges = index.edges();
  const neighbors = findNeighbors(edges, mesh.triangles.length);
  const isFlipped = new Uint8Array(mesh.triangles.length / 3);
  const patches = growPatches(mesh, neighbors, isFlipped);
  for (const patch of patches) if (isMostlyFlipped(mesh, patch, isFlipped)) for (const t of patch) isFlipped[t] ^= 1;
  const isAtNonManifold = markNonManifold(edges, mesh.triangles.length / 3);
  const ambiguousPatches =
    patches.length > 1 ? patches.filter((patch) => patch.some((t) => isAtNonManifold[t] === 1)) : [];
  const work = createRayWork(context, isFlipped.length);
  if (ambiguousPatches.length > 0) {
    const wasBalanced = isStateBalanced({ mesh, index });
    const { shellOf } = index.shells();
    const query: OrientationQuery = { mesh: flip(mesh, isFlipped).mesh, tree: index.bvh(), shellOf, wasBalanced, work };
    const orientations = ambiguousPatches.map((patch) => (work.isExceeded() ? 0 : findOrientation(query, patch)));
    for (const patch of selectReversed(query, ambiguousPatches, orientations)) for (const t of patch) isFlipped[t] ^= 1;
    // If the edges were balanced before and no longer are, the mesh stays unchanged.
    if (wasBalanced && !isStateBalanced(flip(mesh, isFlipped))) return unchanged(mesh);
  }
  const warnings = work.isExceeded() ? [createWorkLimitWarning(ORIENT.name)] : [];
  const count = isFlipped.reduce((sum, flag) => sum + flag, 0);
  return count > 0 ? changed(flip(mesh, isFlipped), { count, warnings }) : unchanged(mesh, { warnings });
}

function flip(mesh: TaggedMesh, isFlipped: Uint8Array): MeshState {
  const triangles = reverseTriangles(mesh.triangles, isFlipped);
  return createMeshState({ ...mesh, triangles, wasFlipped: isFlipped });
}

function isStateBalanced({ mesh, index }: MeshState): boolean {
  return hasBalancedEdges(mesh.triangles, index.edges());
}

/** half-edge → the other half-edge of an edge with two triangles, in either direction; -1 at other edges */
function findNeighbors({ order, starts }: Edges, halfEdgeCount: number): Int32Array {
  const neighbors = new Int32Array(halfEdgeCount).fill(-1);
  for (let edge = 0; edge + 1 < starts.length; edge++) {
    if (starts[edge + 1] - starts[edge] !== 2) continue;
    const [a, b] = [order[starts[edge]], order[starts[edge] + 1]];
    neighbors[a] = b;
    neighbors[b] = a;
  }
  return neighbors;
}

/**
 * Flood-fills the patches, and marks the triangles to flip so that each agrees with the first triangle of its patch.
 */
function growPatches({ triangles }: TaggedMesh, neighbors: Int32Array, isFlipped: Uint8Array): Uint32Array[] {
  const triangleCount = triangles.length / 3;
  const isSeen = new Uint8Array(triangleCount);
  const queue = new Uint32Array(triangleCount); // the triangles of all patches, concatenated
  const patches: Uint32Array[] = [];
  let end = 0;
  for (let seed = 0; seed < triangleCount; seed++) {
    if (isSeen[seed] === 1) continue;
    const start = end;
    queue[end++] = seed;
    isSeen[seed] = 1;
    for (let index = start; index < end; index++) {
      const triangle = queue[index];
      for (let h = triangle * 3; h < triangle * 3 + 3; h++) {
        const other = neighbors[h];
        if (other < 0 || isSeen[triangleOf(other)] === 1) continue;
        const isSameDirection = triangles[h] === triangles[other];
        isFlipped[triangleOf(other)] = isFlipped[triangle] ^ (isSameDirection ? 1 : 0);
        isSeen[triangleOf(other)] = 1;
        queue[end++] = triangleOf(other);
      }
    }
    patches.push(queue.subarray(start, end));
  }
  return patches;
}

/** Whether the marked triangles of a patch have more area than the others. */
function isMostlyFlipped(mesh: TaggedMesh, patch: Uint32Array, isFlipped: Uint8Array): boolean {
  let flippedMm2 = 0;
  let keptMm2 = 0;
  for (const triangle of patch) {
    const area = computeDoubleArea(mesh, triangle);
    if (isFlipped[triangle] === 1) flippedMm2 += area;
    else keptMm2 += area;
  }
  return flippedMm2 > keptMm2;
}

/** triangle → 1 if it has a non-manifold edge */
function markNonManifold({ order, starts }: Edges, triangleCount: number): Uint8Array {
  const marks = new Uint8Array(triangleCount);
  for (let edge = 0; edge + 1 < starts.length; edge++) {
    if (starts[edge + 1] - starts[edge] <= 2) continue;
    for (let i = starts[edge]; i < starts[edge + 1]; i++) marks[triangleOf(order[i])] = 1;
  }
  return marks;
}

/** What `findOrientation` needs to know of a mesh. */
interface OrientationQuery {
  mesh: TaggedMesh;
  tree: Bvh;
  /** triangle → its shell: triangles connected through edges of any number of triangles */
  shellOf: Uint32Array;
  wasBalanced: boolean;
  /** Counts the triangles that rays are tested against. */
  work: WorkCounter;
}

/**
 * Returns 1 if the front of a patch is outside its shell and its back inside, -1 if the patch faces inward, 0 if it is
 * ambiguous, by rays from its largest triangle. At a pocket between two patches, both sides seem to be outside. The one
 * from which a ray crosses nothing is. If the edges of the mesh are balanced, uses the winding number of the whole mesh
 * instead of the parity of crossings, which is wrong where bodies overlap.
 */
function findOrientation({ mesh, tree, shellOf, wasBalanced, work }: OrientationQuery, patch: Uint32Array): number {
  const largest = patch.reduce((best, triangle) =>
    computeDoubleArea(mesh, triangle) > computeDoubleArea(mesh, best) ? triangle : best,
  );
  if (wasBalanced) return isOutward(mesh, tree, largest, work) ? 1 : -1;
  const normal = doubleAreaNormal(mesh.positions, mesh.triangles, largest);
  if (Math.hypot(...normal) === 0) return 0;
  const centroid = [0, 1, 2].map((k) => {
    const corner = (i: number) => mesh.positions[mesh.triangles[largest * 3 + i] * 3 + k];
    return (corner(0) + corner(1) + corner(2)) / 3;
  });
  const isOther = (triangle: number) => {
    work.add(1);
    return triangle !== largest && shellOf[triangle] === shellOf[largest];
  };
  const countCrossings = (toward: readonly number[]) => castRayFrom(mesh, tree, centroid, toward, isOther).length;
  const [front, back] = [countCrossings(normal), countCrossings(normal.map((part) => -part))];
  if (front % 2 !== back % 2) return front % 2 === 0 ? 1 : -1;
  return front === 0 || back === 0 ? Math.sign(back - front) : 0;
}

/** Whether the winding number in front of a triangle is not negative, or the triangle has no area. */
function isOutward(mesh: TaggedMesh, tree: Bvh, triangle: number, work: WorkCounter): boolean {
  const sides = createSidesQuery(mesh)(triangle);
  const countTest = () => {
    work.add(1);
    return true;
  };
  return !sides || windingNumber(mesh, tree, sides.front, sides.normal, countTest) >= 0;
}

/**
 * Returns the patches to reverse: those that face inward or, in shells where these have the larger area, those that face
 * outward. If the edges of the mesh are balanced, always those that face inward.
 *
 * @param orientations patch → its orientation, as returned by `findOrientation`
 */
function selectReversed(
  { mesh, shellOf, wasBalanced }: OrientationQuery,
  patches: readonly Uint32Array[],
  orientations: readonly number[],
): Uint32Array[] {
  const excessMm2 = new Map<number, number>(); // shell → area that faces outward minus that which faces inward
  for (const [i, patch] of patches.entries()) {
    const area = patch.reduce((sum, triangle) => sum + computeDoubleArea(mesh, triangle), 0);
    const shell = shellOf[patch[0]];
    excessMm2.set(shell, (excessMm2.get(shell) ?? 0) + area * orientations[i]);
  }
  return patches.filter((patch, i) => {
    const isInverted = !wasBalanced && (excessMm2.get(shellOf[patch[0]]) ?? 0) < 0;
    return orientations[i] === (isInverted ? 1 : -1);
  });
}

/** Computes twice the area of a triangle. */
function computeDoubleArea({ positions, triangles }: TaggedMesh, triangle: number): number {
  return Math.hypot(...doubleAreaNormal(positions, triangles, triangle));
}
