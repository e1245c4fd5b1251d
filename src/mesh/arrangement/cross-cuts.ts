import type { IndexedMesh } from '../mesh.js';
import { orient2dSign } from '../spatial/predicates.js';
import { type Cuts, placeIn } from './find-cuts.js';

/** A point on a cut that a third triangle makes. */
export interface Crossing {
  point: number;
  /** How far along the cut, from its `from`: 0..1. */
  share: number;
}

/** More pairs of cuts in one triangle than this, over all triangles, are given up. */
const MOST_TESTS = 60_000_000;

interface Triple {
  /** The three cuts that meet. */
  cuts: [number, number, number];
  votes: number;
  place: number[];
}

/**
 * Finds where cuts cross within triangles: points that three triangles have in common. Each of the three is asked; two that see the point
 * overrule one that, by rounding, does not. Adds the points to `cuts`. `undefined` where the answers make no sense, or the work exceeds its limit.
 *
 * @returns cut → crossings on it, in order from its start
 */
export function crossCuts(mesh: IndexedMesh, cuts: Cuts): Map<number, Crossing[]> | undefined {
  const triples = new Map<string, Triple>();
  const cutOf = new Map<number, number>(); // s * triangleCount + t, the lower first → cut
  const triangleCount = mesh.triangles.length / 3;
  const keyOf = (s: number, t: number) => Math.min(s, t) * triangleCount + Math.max(s, t);
  cuts.cuts.forEach(({ s, t }, number) => {
    cutOf.set(keyOf(s, t), number);
  });
  let testsLeft = MOST_TESTS;
  for (const [triangle, own] of cuts.cutsOf) {
    testsLeft -= (own.length * (own.length - 1)) / 2;
    if (testsLeft < 0) return undefined;
    for (const [i, j] of crossingPairs(mesh, cuts, triangle, own)) {
      const [u, v] = [partnerOf(cuts, i, triangle), partnerOf(cuts, j, triangle)];
      const third = cutOf.get(keyOf(u, v));
      if (third === undefined) return undefined;
      const key = String([triangle, u, v].sort((a, b) => a - b));
      const known = triples.get(key);
      if (known) known.votes++;
      else triples.set(key, { cuts: [i, j, third], votes: 1, place: meetingPlace(mesh, cuts, i, j) });
    }
  }
  return gather(mesh, cuts, triples);
}

function partnerOf(cuts: Cuts, cut: number, triangle: number): number {
  const { s, t } = cuts.cuts[cut];
  return s === triangle ? t : s;
}

/** Pairs of cuts of one triangle that cross in it, elsewhere than in an end that they share. */
function crossingPairs(mesh: IndexedMesh, cuts: Cuts, triangle: number, own: readonly number[]): [number, number][] {
  if (own.length < 2) return [];
  const xy: number[] = []; // both ends of each
  for (const number of own) {
    const { from, to } = cuts.cuts[number];
    xy.push(...placeIn(mesh, cuts, triangle, from), ...placeIn(mesh, cuts, triangle, to));
  }
  const pairs: [number, number][] = [];
  for (let i = 0; i < own.length; i++) {
    const a = cuts.cuts[own[i]];
    for (let j = i + 1; j < own.length; j++) {
      const b = cuts.cuts[own[j]];
      if (a.from === b.from || a.from === b.to || a.to === b.from || a.to === b.to) continue;
      if (doCross(xy, i * 2, j * 2)) pairs.push([own[i], own[j]]);
    }
  }
  return pairs;
}

/** Whether the segments p, p + 1 and q, q + 1 cross within both. */
function doCross(xy: readonly number[], p: number, q: number): boolean {
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
function meetingPlace(mesh: IndexedMesh, cuts: Cuts, i: number, j: number): number[] {
  const [a, b] = endsOf(mesh, cuts, i);
  const [c, d] = endsOf(mesh, cuts, j);
  const u = b.map((part, k) => part - a[k]);
  const v = d.map((part, k) => part - c[k]);
  const w = a.map((part, k) => part - c[k]);
  const [uu, uv, vv, uw, vw] = [dot(u, u), dot(u, v), dot(v, v), dot(u, w), dot(v, w)];
  const share = (uv * vw - vv * uw) / (uu * vv - uv * uv);
  const within = Math.min(1, Math.max(0, share)); // NaN where they are parallel: rejected by the caller's caller
  return a.map((part, k) => part + within * u[k]);
}

const dot = (u: readonly number[], v: readonly number[]): number => u[0] * v[0] + u[1] * v[1] + u[2] * v[2];

function endsOf({ positions }: IndexedMesh, cuts: Cuts, number: number): [number[], number[]] {
  const at = (point: number) =>
    point < cuts.vertexCount
      ? [...positions.subarray(point * 3, point * 3 + 3)]
      : cuts.places.slice((point - cuts.vertexCount) * 3, (point - cuts.vertexCount) * 3 + 3);
  const { from, to } = cuts.cuts[number];
  return [at(from), at(to)];
}

/** Makes points of those that at least two triangles see, and puts them in order along their cuts. */
function gather(
  mesh: IndexedMesh,
  cuts: Cuts,
  triples: ReadonlyMap<string, Triple>,
): Map<number, Crossing[]> | undefined {
  const crossingsOf = new Map<number, Crossing[]>();
  let next = cuts.vertexCount + cuts.places.length / 3;
  for (const triple of triples.values()) {
    if (triple.votes < 2) continue;
    if (!triple.place.every(Number.isFinite)) return undefined;
    cuts.places.push(...triple.place);
    for (const cut of triple.cuts) {
      const [a, b] = endsOf(mesh, cuts, cut);
      const along = b.map((part, k) => part - a[k]);
      const share =
        dot(
          along,
          triple.place.map((part, k) => part - a[k]),
        ) / dot(along, along);
      const crossing = { point: next, share };
      const known = crossingsOf.get(cut);
      if (known) known.push(crossing);
      else crossingsOf.set(cut, [crossing]);
    }
    next++;
  }
  for (const crossings of crossingsOf.values()) crossings.sort((x, y) => x.share - y.share || x.point - y.point);
  return crossingsOf;
}
