import type { IndexedMesh } from '../core/mesh.js';
import type { WorkCounter } from '../core/work-counter.js';
import { orient3dSign } from '../geometry/predicates.js';
import type { Bvh } from '../spatial/bvh.js';
import { forEachOverlappingPair } from '../spatial/overlapping-pairs.js';
import { type Edges, mapHalfEdgesToEdges } from '../topology/edges.js';
import { hasCorner, nextOf } from '../topology/half-edge.js';
import { type EdgeTriangleIntersection, intersectEdgeTriangle } from './edge-triangle-intersection.js';

/** A point where an edge of the mesh crosses a triangle. */
export interface IntersectionPoint extends EdgeTriangleIntersection {
  edge: number;
  triangle: number;
}

/**
 * The segment in which the triangles `s` and `t` intersect. Its ends are points: vertices of the mesh or, from
 * `vertexCount` on, intersection points.
 */
export interface IntersectionSegment {
  s: number;
  t: number;
  from: number;
  to: number;
}

/** The intersections of the triangles of a mesh. */
export interface IntersectionGraph {
  vertexCount: number;
  /** point - vertexCount → the edge and the triangle that intersect in it */
  points: IntersectionPoint[];
  /** point - vertexCount → x, y, z; longer than `points` once segments have been intersected with each other */
  coordinates: number[];
  segments: IntersectionSegment[];
  /** triangle → its segments */
  segmentsOf: Map<number, number[]>;
  /** half-edge → edge */
  edgeOf: Uint32Array;
}

/** The state of the search for segments. */
interface SegmentSearch {
  mesh: IndexedMesh;
  graph: IntersectionGraph;
  /** edge → triangle → point */
  pointsOf: Map<number, Map<number, number>>;
  /** Corner of each triangle of the current pair → its side of the plane of the other, as `findSides` finds it. */
  sidesOfS: Int8Array;
  sidesOfT: Int8Array;
  work: WorkCounter;
}

/** The search stops at more segments than this. */
const MAX_SEGMENTS = 400_000;
/** The search stops at more pairs with touching boxes than this, per triangle. */
const MAX_PAIRS_PER_TRIANGLE = 200;
/** The limit of pairs for small meshes. */
const MIN_PAIR_BUDGET = 10_000_000;
/** Units of work of a pair of triangles that reach through each other's plane, besides one for each pair. */
const EDGE_TEST_WORK = 3;
/** Units of work per segment. */
const SEGMENT_WORK = 12;

/**
 * Finds the segments in which the triangles of a mesh intersect, for pairs with at least one triangle marked in
 * `isMoved`. Computes each point once per edge and triangle, so that all segments that end there share it.
 *
 * @param tree the BVH of `mesh`
 * @param isMoved triangle → 1 if a corner was perturbed
 * @param work counts pairs and segments
 * @returns `undefined` if triangles merely touch, or the work exceeds its limits
 */
export function findIntersectionSegments(
  mesh: IndexedMesh,
  edges: Edges,
  tree: Bvh,
  isMoved: Uint8Array,
  work: WorkCounter,
): IntersectionGraph | undefined {
  const { positions, triangles } = mesh;
  const triangleCount = triangles.length / 3;
  const graph: IntersectionGraph = {
    vertexCount: positions.length / 3,
    points: [],
    coordinates: [],
    segments: [],
    segmentsOf: new Map(),
    edgeOf: mapHalfEdgesToEdges(edges),
  };
  const [sidesOfS, sidesOfT] = [new Int8Array(3), new Int8Array(3)];
  const search: SegmentSearch = { mesh, graph, pointsOf: new Map(), sidesOfS, sidesOfT, work };
  let canContinue = true;
  let pairBudget = Math.max(MIN_PAIR_BUDGET, triangleCount * MAX_PAIRS_PER_TRIANGLE);
  const visit = (s: number, t: number): boolean => {
    const { length } = graph.segments;
    const isTooMuch = --pairBudget < 0 || length > MAX_SEGMENTS;
    if (isTooMuch) work.add(Number.POSITIVE_INFINITY); // as much with any other perturbation
    canContinue = !isTooMuch && tryAddSegment(search, s, t);
    if (!work.add(1 + (graph.segments.length - length) * SEGMENT_WORK)) canContinue = false;
    return canContinue;
  };
  forEachOverlappingPair(tree, visit, undefined, isMoved);
  return canContinue ? graph : undefined;
}

/**
 * Adds the segment in which two triangles intersect, if any. It ends at a shared vertex, or where an edge of one
 * crosses the other. Returns false if the triangles merely touch, or have all corners in common.
 */
function tryAddSegment(search: SegmentSearch, s: number, t: number): boolean {
  const { mesh, graph, sidesOfS, sidesOfT } = search;
  const { triangles } = mesh;
  let shared = -1;
  let sharedCount = 0;
  for (let i = s * 3; i < s * 3 + 3; i++) {
    if (!hasCorner(triangles, t, triangles[i])) continue;
    shared = triangles[i];
    sharedCount++;
  }
  if (sharedCount >= 2) return sharedCount === 2;
  // Most pairs end here.
  if (findSides(mesh, t, s, sidesOfT) || findSides(mesh, s, t, sidesOfS)) return true;
  search.work.add(EDGE_TEST_WORK);
  const ends: number[] = sharedCount === 1 ? [shared] : [];
  if (!tryAddEdgeIntersections(search, s, t, sidesOfS, ends) || !tryAddEdgeIntersections(search, t, s, sidesOfT, ends))
    return false;
  if (ends.length === sharedCount) return true;
  if (ends.length !== 2) return false;
  const index = graph.segments.push({ s, t, from: ends[0], to: ends[1] }) - 1;
  for (const triangle of [s, t]) {
    const existing = graph.segmentsOf.get(triangle);
    if (existing) existing.push(index);
    else graph.segmentsOf.set(triangle, [index]);
  }
  return true;
}

/**
 * Finds the side of the plane of another triangle on which each corner of a triangle is (`sides`: corner → 1, 0 or -1 as
 * `orient3dSign`, 0 if the other has it too). Returns whether all corners that it does not have are in front, or all
 * behind.
 */
function findSides({ positions, triangles }: IndexedMesh, triangle: number, other: number, sides: Int8Array): boolean {
  const a = triangles[other * 3];
  const b = triangles[other * 3 + 1];
  const c = triangles[other * 3 + 2];
  let ownCount = 0;
  let sum = 0;
  for (let k = 0; k < 3; k++) {
    const corner = triangles[triangle * 3 + k];
    const isShared = corner === a || corner === b || corner === c;
    sides[k] = isShared ? 0 : orient3dSign(positions, a, b, c, corner);
    if (!isShared) ownCount++;
    sum += sides[k];
  }
  return Math.abs(sum) === ownCount;
}

/**
 * Appends to `ends` the points where edges of triangle `from` cross triangle `through`. Returns false if one touches
 * it.
 *
 * @param sides corner of `from` → its side of the plane of `through`
 */
function tryAddEdgeIntersections(
  { mesh: { positions, triangles }, graph, pointsOf }: SegmentSearch,
  from: number,
  through: number,
  sides: Int8Array,
  ends: number[],
): boolean {
  const a = triangles[through * 3];
  const b = triangles[through * 3 + 1];
  const c = triangles[through * 3 + 2];
  for (let k = 0; k < 3; k++) {
    const h = from * 3 + k;
    const start = triangles[h];
    const end = triangles[nextOf(h)];
    if (hasCorner(triangles, through, start) || hasCorner(triangles, through, end)) continue;
    if (sides[k] === sides[(k + 1) % 3]) continue; // most edges, before the slow look-up
    const edge = graph.edgeOf[h];
    let points = pointsOf.get(edge);
    const existing = points?.get(through);
    if (existing !== undefined) {
      ends.push(existing);
      continue;
    }
    const [low, high] = start < end ? [start, end] : [end, start];
    const intersection = intersectEdgeTriangle(positions, low, high, a, b, c);
    if (intersection === 'touching') return false;
    if (intersection === 'apart') continue;
    const { parameter, u, v } = intersection;
    const point = graph.vertexCount + graph.points.push({ parameter, u, v, edge, triangle: through }) - 1;
    for (let k = 0; k < 3; k++) {
      const value = positions[low * 3 + k];
      graph.coordinates.push(value + parameter * (positions[high * 3 + k] - value));
    }
    if (points === undefined) {
      points = new Map();
      pointsOf.set(edge, points);
    }
    points.set(through, point);
    ends.push(point);
  }
  return true;
}

/**
 * Returns the barycentric weights of the second and third corner of `triangle` at a point. The point must be a corner
 * of the triangle or an intersection of an edge and a triangle, not of two segments.
 */
export function localCoordinates(
  { triangles }: IndexedMesh,
  graph: IntersectionGraph,
  triangle: number,
  point: number,
): [number, number] {
  if (point < graph.vertexCount) {
    const corner = triangles.subarray(triangle * 3, triangle * 3 + 3).indexOf(point);
    return [corner === 1 ? 1 : 0, corner === 2 ? 1 : 0];
  }
  const { parameter, u, v } = graph.points[point - graph.vertexCount];
  const side = sideContaining(graph, triangle, point);
  if (side === undefined) return [u, v];
  const h = triangle * 3 + side;
  const along = triangles[h] < triangles[nextOf(h)] ? parameter : 1 - parameter;
  return side === 0 ? [along, 0] : side === 1 ? [1 - along, along] : [0, 1 - along];
}

/** Returns the side of a triangle that an intersection point is on; `undefined` if the point is in the interior. */
export function sideContaining(graph: IntersectionGraph, triangle: number, point: number): number | undefined {
  const intersection = graph.points[point - graph.vertexCount];
  // The intersection of two segments has coordinates, but no edge: it is in the interior of all three triangles.
  if (intersection === undefined || intersection.triangle === triangle) return undefined;
  return [0, 1, 2].find((side) => graph.edgeOf[triangle * 3 + side] === intersection.edge);
}
