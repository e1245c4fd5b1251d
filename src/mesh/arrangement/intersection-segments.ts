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
  const pointsOf = new Map<number, Map<number, number>>(); // edge → triangle → point
  let canContinue = true;
  let pairBudget = Math.max(MIN_PAIR_BUDGET, triangleCount * MAX_PAIRS_PER_TRIANGLE);
  const visit = (s: number, t: number): boolean => {
    const { length } = graph.segments;
    const isTooMuch = --pairBudget < 0 || length > MAX_SEGMENTS;
    if (isTooMuch) work.add(Number.POSITIVE_INFINITY); // as much with any other perturbation
    canContinue = !isTooMuch && tryAddSegment(mesh, graph, pointsOf, s, t, work);
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
function tryAddSegment(
  mesh: IndexedMesh,
  graph: IntersectionGraph,
  pointsOf: Map<number, Map<number, number>>,
  s: number,
  t: number,
  work: WorkCounter,
): boolean {
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
  if (isStrictlyOnOneSide(mesh, t, s) || isStrictlyOnOneSide(mesh, s, t)) return true;
  work.add(EDGE_TEST_WORK);
  const ends: number[] = sharedCount === 1 ? [shared] : [];
  if (
    !tryAddEdgeIntersections(mesh, graph, pointsOf, s, t, ends) ||
    !tryAddEdgeIntersections(mesh, graph, pointsOf, t, s, ends)
  )
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

/** Whether the corners of a triangle that are not corners of another are all in front of the plane of the other, or all behind it. */
function isStrictlyOnOneSide({ positions, triangles }: IndexedMesh, triangle: number, other: number): boolean {
  const a = triangles[other * 3];
  const b = triangles[other * 3 + 1];
  const c = triangles[other * 3 + 2];
  let firstSide = 0;
  for (let i = triangle * 3; i < triangle * 3 + 3; i++) {
    const corner = triangles[i];
    if (corner === a || corner === b || corner === c) continue;
    const side = orient3dSign(positions, a, b, c, corner);
    if (side === 0 || side === -firstSide) return false;
    firstSide = side;
  }
  return true;
}

/**
 * Appends to `ends` the points where edges of triangle `from` cross triangle `through`. Returns false if one touches
 * it.
 */
function tryAddEdgeIntersections(
  { positions, triangles }: IndexedMesh,
  graph: IntersectionGraph,
  pointsOf: Map<number, Map<number, number>>,
  from: number,
  through: number,
  ends: number[],
): boolean {
  const a = triangles[through * 3];
  const b = triangles[through * 3 + 1];
  const c = triangles[through * 3 + 2];
  for (let h = from * 3; h < from * 3 + 3; h++) {
    const start = triangles[h];
    const end = triangles[nextOf(h)];
    if (hasCorner(triangles, through, start) || hasCorner(triangles, through, end)) continue;
    // Most edges end here, before the slow look-up.
    if (orient3dSign(positions, a, b, c, start) === orient3dSign(positions, a, b, c, end)) continue;
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
