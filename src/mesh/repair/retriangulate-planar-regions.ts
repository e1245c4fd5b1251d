import { mergeContacts } from '../arrangement/contacts/merge-contacts.js';
import { createResolutionWork } from '../arrangement/resolve-intersections.js';
import { splitFans } from '../editing/split-fans.js';
import { computeBounds } from '../geometry/bounds.js';
import { distance } from '../geometry/distance.js';
import { doubleAreaNormal } from '../geometry/double-area-normal.js';
import { createMeshState, type MeshState } from '../spatial/mesh-index.js';
import { compact } from '../topology/compact.js';
import { nextOf } from '../topology/half-edge.js';
import { appendPositions, appendTriangles, selectTriangles, type TaggedMesh } from '../topology/tagged-mesh.js';
import { type EdgeSplit, findEdgeSplits } from '../triangulation/edge-splits.js';
import { createEdgePoints, splitTriangleAtPoints } from '../triangulation/split-at-points.js';
import { netBoundary, triangulatePlanarRegion } from '../triangulation/triangulate-planar-region.js';
import { gatherPositions, weldPoints } from '../welding/weld.js';
import { findFoldedRegions } from './folded-regions.js';
import { changed, type RepairStep, type StepContext, type StepResult, unchanged } from './step.js';

/**
 * Triangles overlap if retriangulating a region reduces its area by more than this fraction; less is a rounding error.
 */
const MIN_REMOVED_AREA_FRACTION = 1e-9;

/**
 * The step `planar-regions`. Retriangulates planar regions with overlapping triangles. The polygon that the triangles
 * enclose together is kept with every vertex of its boundary; parts that are covered in both directions enclose nothing
 * and are dropped. The volume does not change, and no intersections are added. Boundary edges of a region that cross or
 * touch each other are split there, together with the triangles beyond them. Bodies that touch at faces are merged first
 * (see `mergeContacts`). Requires a closed mesh. The mesh stays unchanged if its bounds would shrink. The notes count
 * regions.
 */
export const RETRIANGULATE_PLANAR_REGIONS: RepairStep = { name: 'planar-regions', run: retriangulateFoldedRegions };

function retriangulateFoldedRegions(mesh: TaggedMesh, { index, tolerances, budget }: StepContext): StepResult {
  if (!index.isClosed()) return unchanged(mesh);
  const merged = mergeContacts({ mesh, index }, tolerances.inPlaneMm, createResolutionWork(mesh.triangles.length / 3));
  let current = weldVertices(merged?.state ?? { mesh, index });
  let count = merged?.regionCount ?? 0;
  for (let round = 0; round < budget.regionRounds; round++) {
    const retriangulated = retriangulateOnce(current, tolerances.inPlaneMm);
    count += retriangulated.count;
    current = retriangulated.state;
    if (!retriangulated.hasSplits) break;
  }
  if (count === 0) return unchanged(mesh);
  current = splitFans(current).state;
  const maxDisplacementMm = merged ? tolerances.inPlaneMm : 0;
  if (!current.index.isClosed() || !haveSameBounds(mesh, current.mesh, maxDisplacementMm)) return unchanged(mesh);
  return changed(current, { count, maxDisplacementMm });
}

/**
 * Retriangulates the regions whose boundary does not cross or touch itself. Splits the edges of the other boundaries,
 * and all triangles at them, at these points for the next round.
 */
function retriangulateOnce(state: MeshState, toleranceMm: number) {
  const { mesh } = state;
  const { positions } = mesh;
  const removed = new Set<number>();
  const corners: number[] = [];
  const objects: number[] = [];
  const coordinates: number[] = [];
  const edgeSplits: EdgeSplit[] = [];
  let count = 0;
  for (const { members, axis } of findFoldedRegions(state, toleranceMm)) {
    const regionCorners = members.flatMap((triangle) => [...mesh.triangles.subarray(triangle * 3, triangle * 3 + 3)]);
    const retriangulated = triangulatePlanarRegion(positions, regionCorners, axis);
    if (retriangulated === undefined) {
      const splits = findEdgeSplits(positions, netBoundary(regionCorners, positions.length / 3), axis, coordinates);
      for (const split of splits) edgeSplits.push(split);
      continue;
    }
    if (computeArea(mesh, retriangulated) > computeArea(mesh, regionCorners) * (1 - MIN_REMOVED_AREA_FRACTION))
      continue;
    count++;
    for (const triangle of members) removed.add(triangle);
    for (const corner of retriangulated) corners.push(corner);
    for (let offset = 0; offset < retriangulated.length; offset += 3) objects.push(mesh.objectOf[members[0]]);
  }
  const kept = [...mesh.objectOf.keys()].filter((triangle) => !removed.has(triangle));
  const retriangulated = count > 0 ? appendTriangles(selectTriangles(mesh, kept), corners, objects) : mesh;
  const hasSplits = edgeSplits.length > 0;
  const split = hasSplits ? splitEdgesAtPoints(retriangulated, edgeSplits, coordinates) : retriangulated;
  return { state: count > 0 || hasSplits ? createMeshState(split) : state, count, hasSplits };
}

/** Splits every triangle that has one of the edges at the points of the edge. */
function splitEdgesAtPoints(
  mesh: TaggedMesh,
  edgeSplits: readonly EdgeSplit[],
  coordinates: readonly number[],
): TaggedMesh {
  const positions = appendPositions(mesh.positions, coordinates);
  const onEdges = createEdgePoints(positions.length / 3);
  for (const { from, to, points } of edgeSplits) {
    // An edge may be on the boundaries of two regions.
    const all = [...new Set([...onEdges.between(from, to), ...points])];
    const distanceFromStart = (point: number) => distance(positions, from, point);
    onEdges.set(
      from,
      to,
      all.sort((s, t) => distanceFromStart(s) - distanceFromStart(t) || s - t),
    );
  }
  const isTouched = (corners: ArrayLike<number>) =>
    [0, 1, 2].some((k) => onEdges.between(corners[k], corners[nextOf(k)]).length > 0);
  const kept: number[] = [];
  const parts: number[] = [];
  const objects: number[] = [];
  for (let triangle = 0; triangle < mesh.objectOf.length; triangle++) {
    const corners = mesh.triangles.subarray(triangle * 3, triangle * 3 + 3);
    if (!isTouched(corners)) {
      kept.push(triangle);
      continue;
    }
    const split = splitTriangleAtPoints([...corners], onEdges);
    for (const corner of split) parts.push(corner);
    for (let offset = 0; offset < split.length; offset += 3) objects.push(mesh.objectOf[triangle]);
  }
  return appendTriangles({ ...selectTriangles(mesh, kept), positions }, parts, objects);
}

/** Merges vertices with equal positions: the boundary of a region may pass through a position more than once. */
function weldVertices(state: MeshState): MeshState {
  const { positions, triangles, objectOf } = state.mesh;
  const { vertexOf, firstPoint } = weldPoints(positions);
  if (firstPoint.length === vertexOf.length) return state;
  return createMeshState({
    positions: gatherPositions(positions, firstPoint),
    triangles: triangles.map((vertex) => vertexOf[vertex]),
    objectOf,
  });
}

function computeArea({ positions }: TaggedMesh, corners: readonly number[]): number {
  const triangles = Uint32Array.from(corners);
  let area = 0;
  for (let triangle = 0; triangle * 3 < triangles.length; triangle++)
    area += Math.hypot(...doubleAreaNormal(positions, triangles, triangle)) / 2;
  return area;
}

function haveSameBounds(before: TaggedMesh, after: TaggedMesh, toleranceMm: number): boolean {
  const [boundsBefore, boundsAfter] = [before, after].map(({ positions, triangles }) =>
    computeBounds(compact(positions, triangles).positions),
  );
  return [0, 1, 2].every(
    (k) =>
      Math.abs(boundsAfter.min[k] - boundsBefore.min[k]) <= toleranceMm &&
      Math.abs(boundsAfter.max[k] - boundsBefore.max[k]) <= toleranceMm,
  );
}
