import type { IndexedMesh } from '../core/mesh.js';
import { pairKey } from '../core/pair-key.js';
import { dot, subtract } from '../core/vec3.js';
import type { WorkCounter } from '../core/work-counter.js';
import { orient2dSign } from '../geometry/predicates.js';
import { type IntersectionGraph, localCoordinates } from './intersection-segments.js';

/** A point where a third triangle intersects a segment. */
export interface SegmentCrossing {
  point: number;
  /** Parameter along the segment: 0 at `from`, 1 at `to`. */
  parameter: number;
}

/** Limit of the pairs of segments to test, summed over all triangles. */
const MAX_PAIR_TESTS = 60_000_000;
/** Pairs of segments per unit of work: most of them have disjoint boxes. */
const PAIRS_PER_UNIT = 32;
/** Units of work per triple point. */
const TRIPLE_POINT_WORK = 8;
/** A triple point exists if its segments cross in at least this many of its triangles. */
const MIN_VOTES = 2;

/** A point where three triangles intersect. */
interface TriplePoint {
  /** The segments that cross in the point, one for each pair of the triangles. Its position is where the first two do. */
  segments: [number, number, number];
  /** Number of triangles in which two of the segments cross. */
  voteCount: number;
}

/**
 * Finds the points where the segments of a triangle cross each other, for all triangles. Two segments of a triangle
 * belong to two other triangles, so that their crossing is a triple point. Each triple point is tested in its three
 * triangles. Rounding may hide it in one of them, so that two suffice.
 *
 * @param graph receives the coordinates of the triple points, after those of its own points
 * @param work counts pairs of segments and triple points
 * @returns segment → crossings on it, in order from `from` to `to`; `undefined` if the crossings are inconsistent, or
 * the work exceeds its limit
 */
export function intersectSegments(
  mesh: IndexedMesh,
  graph: IntersectionGraph,
  work: WorkCounter,
): Map<number, SegmentCrossing[]> | undefined {
  const triplePoints = new Map<number, TriplePoint>(); // key of two of its segments, those with the lowest indices → triple point
  const segmentOf = new Map<number, number>(); // key of its two triangles → segment
  const triangleCount = mesh.triangles.length / 3;
  const keyOf = (s: number, t: number) => pairKey(s, t, triangleCount);
  graph.segments.forEach(({ s, t }, index) => {
    segmentOf.set(keyOf(s, t), index);
  });
  let testBudget = MAX_PAIR_TESTS;
  for (const [triangle, segments] of graph.segmentsOf) {
    const pairCount = (segments.length * (segments.length - 1)) / 2;
    testBudget -= pairCount;
    if (testBudget < 0 || !work.add(pairCount / PAIRS_PER_UNIT)) return undefined;
    const crossingPairs = findCrossingPairs(mesh, graph, triangle, segments);
    if (!work.add(crossingPairs.length * TRIPLE_POINT_WORK)) return undefined;
    for (const [i, j] of crossingPairs) {
      const [s, t] = [otherTriangleOf(graph, i, triangle), otherTriangleOf(graph, j, triangle)];
      const third = segmentOf.get(keyOf(s, t));
      if (third === undefined) return undefined; // s and t have the crossing in common, but no segment
      const highest = Math.max(i, j, third);
      const [low, middle] = highest === i ? [j, third] : highest === j ? [i, third] : [i, j];
      const key = pairKey(low, middle, graph.segments.length);
      const existing = triplePoints.get(key);
      if (existing) existing.voteCount++;
      else triplePoints.set(key, { segments: [i, j, third], voteCount: 1 });
    }
  }
  return collectCrossings(mesh, graph, triplePoints);
}

/** Returns the triangle of a segment that is not `triangle`. */
function otherTriangleOf(graph: IntersectionGraph, segment: number, triangle: number): number {
  const { s, t } = graph.segments[segment];
  return s === triangle ? t : s;
}

/** Finds the pairs of segments of a triangle that cross in the interior of both. Skips pairs with a common end. */
function findCrossingPairs(
  mesh: IndexedMesh,
  graph: IntersectionGraph,
  triangle: number,
  segments: readonly number[],
): [number, number][] {
  if (segments.length < 2) return [];
  const xy: number[] = []; // end of a segment, two per entry of `segments` → its `localCoordinates`
  for (const index of segments) {
    const { from, to } = graph.segments[index];
    xy.push(...localCoordinates(mesh, graph, triangle, from), ...localCoordinates(mesh, graph, triangle, to));
  }
  const pairs: [number, number][] = [];
  for (let i = 0; i < segments.length; i++) {
    const a = graph.segments[segments[i]];
    for (let j = i + 1; j < segments.length; j++) {
      const b = graph.segments[segments[j]];
      if (a.from === b.from || a.from === b.to || a.to === b.from || a.to === b.to) continue;
      if (areCrossing(xy, i * 2, j * 2)) pairs.push([segments[i], segments[j]]);
    }
  }
  return pairs;
}

/** Returns whether the segments from point p to p + 1 and from q to q + 1 cross in the interior of both. */
function areCrossing(xy: readonly number[], p: number, q: number): boolean {
  for (let k = 0; k < 2; k++) {
    const [a, b, c, d] = [xy[p * 2 + k], xy[p * 2 + 2 + k], xy[q * 2 + k], xy[q * 2 + 2 + k]];
    if (Math.max(a, b) < Math.min(c, d) || Math.max(c, d) < Math.min(a, b)) return false;
  }
  return (
    orient2dSign(xy, p, p + 1, q) * orient2dSign(xy, p, p + 1, q + 1) < 0 &&
    orient2dSign(xy, q, q + 1, p) * orient2dSign(xy, q, q + 1, p + 1) < 0
  );
}

/**
 * Computes the point of segment `i` that is closest to segment `j`. This is their crossing up to rounding, since they
 * are in the same triangle.
 */
function computeClosestPoint(mesh: IndexedMesh, graph: IntersectionGraph, i: number, j: number): number[] {
  const [a, b] = endpointsOf(mesh, graph, i);
  const [c, d] = endpointsOf(mesh, graph, j);
  const u = subtract(b, a);
  const v = subtract(d, c);
  const w = subtract(a, c);
  const [uu, uv, vv, uw, vw] = [dot(u, u), dot(u, v), dot(v, v), dot(u, w), dot(v, w)];
  const parameter = (uv * vw - vv * uw) / (uu * vv - uv * uv);
  const clamped = Math.min(1, Math.max(0, parameter)); // NaN if exactly parallel; rejected by `collectCrossings`
  return a.map((component, k) => component + clamped * u[k]);
}

/** Returns the coordinates of both ends of a segment. */
function endpointsOf({ positions }: IndexedMesh, graph: IntersectionGraph, index: number): [number[], number[]] {
  const coordinatesOf = (point: number) =>
    point < graph.vertexCount
      ? [...positions.subarray(point * 3, point * 3 + 3)]
      : graph.coordinates.slice((point - graph.vertexCount) * 3, (point - graph.vertexCount) * 3 + 3);
  const { from, to } = graph.segments[index];
  return [coordinatesOf(from), coordinatesOf(to)];
}

/**
 * Collects the crossings of the triple points with enough votes, sorted along each segment. Appends the coordinates of
 * these points to the graph.
 *
 * @returns segment → crossings on it; `undefined` if a coordinate is not finite
 */
function collectCrossings(
  mesh: IndexedMesh,
  graph: IntersectionGraph,
  triplePoints: ReadonlyMap<number, TriplePoint>,
): Map<number, SegmentCrossing[]> | undefined {
  const crossingsOf = new Map<number, SegmentCrossing[]>();
  let point = graph.vertexCount + graph.coordinates.length / 3;
  for (const { segments, voteCount } of triplePoints.values()) {
    if (voteCount < MIN_VOTES) continue;
    const coordinates = computeClosestPoint(mesh, graph, segments[0], segments[1]);
    if (!coordinates.every(Number.isFinite)) return undefined;
    graph.coordinates.push(...coordinates);
    for (const segment of segments) {
      const [a, b] = endpointsOf(mesh, graph, segment);
      const direction = subtract(b, a);
      const offset = subtract(coordinates, a);
      const crossing = { point, parameter: dot(direction, offset) / dot(direction, direction) };
      const existing = crossingsOf.get(segment);
      if (existing) existing.push(crossing);
      else crossingsOf.set(segment, [crossing]);
    }
    point++;
  }
  for (const crossings of crossingsOf.values())
    crossings.sort((a, b) => a.parameter - b.parameter || a.point - b.point);
  return crossingsOf;
}
