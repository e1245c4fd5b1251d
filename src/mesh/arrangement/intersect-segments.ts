import type { IndexedMesh } from '../core/mesh.js';
import { orient2dSign } from '../geometry/predicates.js';
import { type IntersectionGraph, localCoordinates } from './intersection-segments.js';

/** A point at which a third triangle intersects a segment. */
export interface SegmentCrossing {
  point: number;
  /** Parameter along the segment, from its `from`: 0..1. */
  parameter: number;
}

/** The search stops at more pairs of segments in the same triangle than this, summed over all triangles. */
const MAX_PAIR_TESTS = 60_000_000;

/** A point at which three triangles intersect. */
interface TriplePoint {
  /** The three segments that intersect, one for each pair of the triangles. */
  segments: [number, number, number];
  /** Triangles in which two of the segments cross. */
  votes: number;
  /** x, y, z */
  coordinates: number[];
}

/**
 * Intersects the segments within each triangle with each other. Each crossing is a common point of three triangles,
 * which is tested in all three: it exists if at least two of them find it, because rounding may hide it in one.
 *
 * @param graph receives the coordinates of the points
 * @returns segment → crossings on it, in order from its start; `undefined` if the results are inconsistent, or the work
 * exceeds its limit
 */
export function intersectSegments(
  mesh: IndexedMesh,
  graph: IntersectionGraph,
): Map<number, SegmentCrossing[]> | undefined {
  const triples = new Map<string, TriplePoint>();
  const segmentOf = new Map<number, number>(); // lower triangle * triangleCount + higher triangle → segment
  const triangleCount = mesh.triangles.length / 3;
  const keyOf = (s: number, t: number) => Math.min(s, t) * triangleCount + Math.max(s, t);
  graph.segments.forEach(({ s, t }, index) => {
    segmentOf.set(keyOf(s, t), index);
  });
  let testBudget = MAX_PAIR_TESTS;
  for (const [triangle, segments] of graph.segmentsOf) {
    testBudget -= (segments.length * (segments.length - 1)) / 2;
    if (testBudget < 0) return undefined;
    for (const [i, j] of findCrossingPairs(mesh, graph, triangle, segments)) {
      const [u, v] = [otherTriangleOf(graph, i, triangle), otherTriangleOf(graph, j, triangle)];
      const third = segmentOf.get(keyOf(u, v));
      if (third === undefined) return undefined;
      const key = String([triangle, u, v].sort((a, b) => a - b));
      const existing = triples.get(key);
      if (existing) existing.votes++;
      else
        triples.set(key, { segments: [i, j, third], votes: 1, coordinates: closestPointOnSegment(mesh, graph, i, j) });
    }
  }
  return collectCrossings(mesh, graph, triples);
}

/** Returns the other triangle of a segment. */
function otherTriangleOf(graph: IntersectionGraph, segment: number, triangle: number): number {
  const { s, t } = graph.segments[segment];
  return s === triangle ? t : s;
}

/** Finds the pairs of segments of a triangle that cross in their interior. */
function findCrossingPairs(
  mesh: IndexedMesh,
  graph: IntersectionGraph,
  triangle: number,
  segments: readonly number[],
): [number, number][] {
  if (segments.length < 2) return [];
  const xy: number[] = []; // end → x, y; two ends per segment
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
      if (segmentsCross(xy, i * 2, j * 2)) pairs.push([segments[i], segments[j]]);
    }
  }
  return pairs;
}

/** Returns whether the segments from point p to p + 1 and from q to q + 1 cross in the interior of both. */
function segmentsCross(xy: readonly number[], p: number, q: number): boolean {
  for (let k = 0; k < 2; k++) {
    const [a, b, c, d] = [xy[p * 2 + k], xy[p * 2 + 2 + k], xy[q * 2 + k], xy[q * 2 + 2 + k]];
    if (Math.max(a, b) < Math.min(c, d) || Math.max(c, d) < Math.min(a, b)) return false;
  }
  return (
    orient2dSign(xy, p, p + 1, q) * orient2dSign(xy, p, p + 1, q + 1) < 0 &&
    orient2dSign(xy, q, q + 1, p) * orient2dSign(xy, q, q + 1, p + 1) < 0
  );
}

/** Computes the point of segment i that is closest to segment j. They are coplanar up to rounding. */
function closestPointOnSegment(mesh: IndexedMesh, graph: IntersectionGraph, i: number, j: number): number[] {
  const [a, b] = endpointsOf(mesh, graph, i);
  const [c, d] = endpointsOf(mesh, graph, j);
  const u = b.map((part, k) => part - a[k]);
  const v = d.map((part, k) => part - c[k]);
  const w = a.map((part, k) => part - c[k]);
  const [uu, uv, vv, uw, vw] = [dot(u, u), dot(u, v), dot(v, v), dot(u, w), dot(v, w)];
  const parameter = (uv * vw - vv * uw) / (uu * vv - uv * uv);
  const clamped = Math.min(1, Math.max(0, parameter)); // NaN if parallel; `collectCrossings` rejects it
  return a.map((part, k) => part + clamped * u[k]);
}

function dot(u: readonly number[], v: readonly number[]): number {
  return u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
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

/** Adds the points with at least two votes, and sorts them along their segments. `undefined` if one is not finite. */
function collectCrossings(
  mesh: IndexedMesh,
  graph: IntersectionGraph,
  triples: ReadonlyMap<string, TriplePoint>,
): Map<number, SegmentCrossing[]> | undefined {
  const crossingsOf = new Map<number, SegmentCrossing[]>();
  let next = graph.vertexCount + graph.coordinates.length / 3;
  for (const triple of triples.values()) {
    if (triple.votes < 2) continue;
    if (!triple.coordinates.every(Number.isFinite)) return undefined;
    graph.coordinates.push(...triple.coordinates);
    for (const segment of triple.segments) {
      const [a, b] = endpointsOf(mesh, graph, segment);
      const direction = b.map((part, k) => part - a[k]);
      const parameter =
        dot(
          direction,
          triple.coordinates.map((part, k) => part - a[k]),
        ) / dot(direction, direction);
      const crossing = { point: next, parameter };
      const existing = crossingsOf.get(segment);
      if (existing) existing.push(crossing);
      else crossingsOf.set(segment, [crossing]);
    }
    next++;
  }
  for (const crossings of crossingsOf.values())
    crossings.sort((x, y) => x.parameter - y.parameter || x.point - y.point);
  return crossingsOf;
}
