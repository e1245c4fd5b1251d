import type { IndexedMesh } from '../core/mesh.js';
import { orient2dSign } from '../geometry/predicates.js';
import { type IntersectionGraph, localCoordinates } from './intersection-segments.js';

/** A point on a cut that a third triangle makes. */
export interface SegmentCrossing {
  point: number;
  /** How far along the cut, from its `from`: 0..1. */
  parameter: number;
}

/** More pairs of cuts in one triangle than this, over all triangles, are given up. */
const MAX_PAIR_TESTS = 60_000_000;

interface TriplePoint {
  /** The three cuts that meet. */
  cuts: [number, number, number];
  votes: number;
  coordinates: number[];
}

/**
 * Finds where cuts cross within triangles: points that three triangles have in common. Each of the three is asked; two that see the point
 * overrule one that, by rounding, does not. Adds the points to `cuts`. `undefined` where the answers make no sense, or the work exceeds its limit.
 *
 * @returns cut → crossings on it, in order from its start
 */
export function intersectSegments(
  mesh: IndexedMesh,
  cuts: IntersectionGraph,
): Map<number, SegmentCrossing[]> | undefined {
  const triples = new Map<string, TriplePoint>();
  const cutOf = new Map<number, number>(); // s * triangleCount + t, the lower first → cut
  const triangleCount = mesh.triangles.length / 3;
  const keyOf = (s: number, t: number) => Math.min(s, t) * triangleCount + Math.max(s, t);
  cuts.cuts.forEach(({ s, t }, index) => {
    cutOf.set(keyOf(s, t), index);
  });
  let testBudget = MAX_PAIR_TESTS;
  for (const [triangle, own] of cuts.segmentsOf) {
    testBudget -= (own.length * (own.length - 1)) / 2;
    if (testBudget < 0) return undefined;
    for (const [i, j] of crossingPairs(mesh, cuts, triangle, own)) {
      const [u, v] = [otherTriangleOf(cuts, i, triangle), otherTriangleOf(cuts, j, triangle)];
      const third = cutOf.get(keyOf(u, v));
      if (third === undefined) return undefined;
      const key = String([triangle, u, v].sort((a, b) => a - b));
      const existing = triples.get(key);
      if (existing) existing.votes++;
      else triples.set(key, { cuts: [i, j, third], votes: 1, coordinates: closestPointOnSegment(mesh, cuts, i, j) });
    }
  }
  return collectCrossings(mesh, cuts, triples);
}

function otherTriangleOf(cuts: IntersectionGraph, cut: number, triangle: number): number {
  const { s, t } = cuts.cuts[cut];
  return s === triangle ? t : s;
}

/** Pairs of cuts of one triangle that cross in it, elsewhere than in an end that they share. */
function crossingPairs(
  mesh: IndexedMesh,
  cuts: IntersectionGraph,
  triangle: number,
  own: readonly number[],
): [number, number][] {
  if (own.length < 2) return [];
  const xy: number[] = []; // both ends of each
  for (const index of own) {
    const { from, to } = cuts.cuts[index];
    xy.push(...localCoordinates(mesh, cuts, triangle, from), ...localCoordinates(mesh, cuts, triangle, to));
  }
  const pairs: [number, number][] = [];
  for (let i = 0; i < own.length; i++) {
    const a = cuts.cuts[own[i]];
    for (let j = i + 1; j < own.length; j++) {
      const b = cuts.cuts[own[j]];
      if (a.from === b.from || a.from === b.to || a.to === b.from || a.to === b.to) continue;
      if (segmentsCross(xy, i * 2, j * 2)) pairs.push([own[i], own[j]]);
    }
  }
  return pairs;
}

/** Whether the segments p, p + 1 and q, q + 1 cross within both. */
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

/** The point of cut i that lies nearest to cut j: both run in one plane. */
function closestPointOnSegment(mesh: IndexedMesh, cuts: IntersectionGraph, i: number, j: number): number[] {
  const [a, b] = endpointsOf(mesh, cuts, i);
  const [c, d] = endpointsOf(mesh, cuts, j);
  const u = b.map((part, k) => part - a[k]);
  const v = d.map((part, k) => part - c[k]);
  const w = a.map((part, k) => part - c[k]);
  const [uu, uv, vv, uw, vw] = [dot(u, u), dot(u, v), dot(v, v), dot(u, w), dot(v, w)];
  const parameter = (uv * vw - vv * uw) / (uu * vv - uv * uv);
  const within = Math.min(1, Math.max(0, parameter)); // NaN where they are parallel: rejected by the caller's caller
  return a.map((part, k) => part + within * u[k]);
}

const dot = (u: readonly number[], v: readonly number[]): number => u[0] * v[0] + u[1] * v[1] + u[2] * v[2];

function endpointsOf({ positions }: IndexedMesh, cuts: IntersectionGraph, index: number): [number[], number[]] {
  const at = (point: number) =>
    point < cuts.vertexCount
      ? [...positions.subarray(point * 3, point * 3 + 3)]
      : cuts.coordinates.slice((point - cuts.vertexCount) * 3, (point - cuts.vertexCount) * 3 + 3);
  const { from, to } = cuts.cuts[index];
  return [at(from), at(to)];
}

/** Makes points of those that at least two triangles see, and puts them in order along their cuts. */
function collectCrossings(
  mesh: IndexedMesh,
  cuts: IntersectionGraph,
  triples: ReadonlyMap<string, TriplePoint>,
): Map<number, SegmentCrossing[]> | undefined {
  const crossingsOf = new Map<number, SegmentCrossing[]>();
  let next = cuts.vertexCount + cuts.coordinates.length / 3;
  for (const triple of triples.values()) {
    if (triple.votes < 2) continue;
    if (!triple.coordinates.every(Number.isFinite)) return undefined;
    cuts.coordinates.push(...triple.coordinates);
    for (const cut of triple.cuts) {
      const [a, b] = endpointsOf(mesh, cuts, cut);
      const along = b.map((part, k) => part - a[k]);
      const parameter =
        dot(
          along,
          triple.coordinates.map((part, k) => part - a[k]),
        ) / dot(along, along);
      const crossing = { point: next, parameter };
      const existing = crossingsOf.get(cut);
      if (existing) existing.push(crossing);
      else crossingsOf.set(cut, [crossing]);
    }
    next++;
  }
  for (const crossings of crossingsOf.values())
    crossings.sort((x, y) => x.parameter - y.parameter || x.point - y.point);
  return crossingsOf;
}
