import { computeBounds, measureGroups } from '../analysis/measure.js';
import { distance } from '../geometry/distance.js';
import { isClosedSurface } from '../topology/closed-twins.js';
import { compact } from '../topology/compact.js';
import { nextOf } from '../topology/half-edge.js';
import { type EdgeSplit, findEdgeSplits } from '../triangulation/edge-splits.js';
import { createEdgePoints, splitTriangleAtPoints } from '../triangulation/split-at-points.js';
import { netBoundary, triangulatePlanarRegion } from '../triangulation/triangulate-planar-region.js';
import { gatherPositions, weldPoints } from '../welding/weld.js';
import { findFoldedRegions } from './folded-regions.js';
import { SPLIT_FANS } from './split-fans.js';
import { appendTriangles, type RepairMesh, type RepairStep, type StepResult, selectTriangles } from './step.js';

/**
 * Corners this near a plane, as a share of the diagonal, lie in it: what binary STL leaves of a plane at any angle does (its float32 is good for
 * 6e-8 of a coordinate), and so does what is written with six digits.
 */
const PLANE_TOLERANCE_FRACTION = 1e-6;

/** Each round divides the edges at which the last one failed. */
const MAX_ROUNDS = 4;
/** What lies over each other has this share of a region's area at least; less is rounding. */
const MIN_REMOVED_AREA_FRACTION = 1e-9;

/**
 * Triangulates flat regions anew whose triangles lie over each other within their plane: what they enclose together stays, with every vertex of
 * its border; what goes to and fro within the plane encloses nothing, and goes. So the volume stays, and nothing crosses then that did not
 * before. Edges of a border that cross or touch others of it are divided there, together with the triangles beyond them. The mesh stays as it is
 * where its box would shrink. Closed meshes only. `changed` counts regions.
 */
export const RETRIANGULATE_PLANAR_REGIONS: RepairStep = { name: 'planar-regions', run: retriangulateFoldedRegions };

function retriangulateFoldedRegions(mesh: RepairMesh, diagonalMm: number): StepResult {
  if (!isClosed(mesh)) return { mesh, changed: 0 };
  let current = weldVertices(mesh);
  let changed = 0;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const retriangulated = retriangulateOnce(current, diagonalMm * PLANE_TOLERANCE_FRACTION);
    changed += retriangulated.changed;
    current = retriangulated.mesh;
    if (!retriangulated.isDivided) break;
  }
  if (changed === 0) return { mesh, changed };
  current = SPLIT_FANS.run(current, diagonalMm).mesh;
  return isClosed(current) && haveSameBounds(mesh, current) ? { mesh: current, changed } : { mesh, changed: 0 };
}

/** Triangulates what can be; where borders cross or touch themselves their edges are divided there, with all triangles at them, for the next round. */
function retriangulateOnce(mesh: RepairMesh, withinMm: number) {
  const { positions } = mesh;
  const gone = new Set<number>();
  const corners: number[] = [];
  const objects: number[] = [];
  const coordinates: number[] = [];
  const edgeSplits: EdgeSplit[] = [];
  let changed = 0;
  for (const { members, axis } of findFoldedRegions(mesh, withinMm)) {
    const own = members.flatMap((triangle) => [...mesh.triangles.subarray(triangle * 3, triangle * 3 + 3)]);
    const retriangulated = triangulatePlanarRegion(positions, own, axis);
    if (retriangulated === undefined) {
      const meetings = findEdgeSplits(positions, netBoundary(own, positions.length / 3), axis, coordinates);
      for (const meeting of meetings) edgeSplits.push(meeting);
      continue;
    }
    if (areaOf(mesh, retriangulated) > areaOf(mesh, own) * (1 - MIN_REMOVED_AREA_FRACTION)) continue;
    changed++;
    for (const triangle of members) gone.add(triangle);
    for (const corner of retriangulated) corners.push(corner);
    for (let offset = 0; offset < retriangulated.length; offset += 3) objects.push(mesh.objectOf[members[0]]);
  }
  const kept = [...mesh.objectOf.keys()].filter((triangle) => !gone.has(triangle));
  const whole = changed > 0 ? appendTriangles(selectTriangles(mesh, kept), corners, objects) : mesh;
  const hasSplits = edgeSplits.length > 0;
  return {
    mesh: hasSplits ? splitEdgesAtPoints(whole, edgeSplits, coordinates) : whole,
    changed,
    isDivided: hasSplits,
  };
}

/** Splits every triangle at these edges at their points. */
function splitEdgesAtPoints(
  mesh: RepairMesh,
  edgeSplits: readonly EdgeSplit[],
  coordinates: readonly number[],
): RepairMesh {
  const positions = Float64Array.from([...mesh.positions, ...coordinates]);
  const onEdges = createEdgePoints(positions.length / 3);
  for (const { from, to, points } of edgeSplits) {
    // An edge may be on the borders of two regions.
    const all = [...new Set([...onEdges.between(from, to), ...points])];
    const far = (point: number) => distance(positions, from, point);
    onEdges.set(
      from,
      to,
      all.sort((s, t) => far(s) - far(t) || s - t),
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

function isClosed({ positions, triangles }: RepairMesh): boolean {
  return isClosedSurface(triangles, positions.length / 3);
}

/** The mesh with vertices of the same place as one: the border of a region may come to a place more than once. */
function weldVertices(mesh: RepairMesh): RepairMesh {
  const { vertexOf, firstPoint } = weldPoints(mesh.positions);
  return {
    positions: gatherPositions(mesh.positions, firstPoint),
    triangles: mesh.triangles.map((vertex) => vertexOf[vertex]),
    objectOf: mesh.objectOf,
  };
}

function areaOf({ positions }: RepairMesh, corners: readonly number[]): number {
  const triangles = Uint32Array.from(corners);
  return measureGroups({ positions, triangles }, new Uint32Array(triangles.length / 3), 1).areaMm2[0];
}

function haveSameBounds(before: RepairMesh, after: RepairMesh): boolean {
  const [was, is] = [before, after].map(({ positions, triangles }) =>
    computeBounds(compact(positions, triangles).positions),
  );
  return [0, 1, 2].every((k) => is.min[k] === was.min[k] && is.max[k] === was.max[k]);
}
