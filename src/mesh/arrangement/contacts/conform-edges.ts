import { distance } from '../../geometry/distance.js';
import { buildBvh } from '../../spatial/bvh.js';
import { findNearPairs } from '../../spatial/near-pairs.js';
import { forEachOverlappingPair } from '../../spatial/overlapping-pairs.js';
import { widenBoxes } from '../../spatial/widen-boxes.js';
import { DisjointSets } from '../../topology/disjoint-sets.js';
import type { EdgeSplit } from '../../triangulation/edge-splits.js';

/** An edge between two vertices. */
export type Edge = Pick<EdgeSplit, 'from' | 'to'>;

/**
 * Merges the ends of edges that are within `toleranceMm` of each other, closest first: vertex → the vertex that replaces
 * it. No vertex moves by more than the tolerance.
 */
export function mergeNearVertices(positions: Float64Array, edges: readonly Edge[], toleranceMm: number): Uint32Array {
  const count = positions.length / 3;
  const sets = new DisjointSets(count);
  const vertices = [...new Set(edges.flatMap(({ from, to }) => [from, to]))].sort((a, b) => a - b);
  for (const { a, b } of findNearPairs(positions, vertices, () => toleranceMm)) {
    const [x, y] = [sets.find(a), sets.find(b)];
    if (distance(positions, x, y) <= toleranceMm) sets.union(x, y);
  }
  return Uint32Array.from({ length: count }, (_, vertex) => sets.find(vertex));
}

/**
 * Finds the points at which edges meet within `toleranceMm`: vertices on another edge, and crossings. A crossing becomes
 * a new vertex.
 *
 * @param newPositions receives x, y, z of the new vertices, which are numbered from the end of `positions`
 */
export function findNearSplits(
  positions: Float64Array,
  edges: readonly Edge[],
  toleranceMm: number,
  newPositions: number[],
): EdgeSplit[] {
  const pointsOf = edges.map(() => new Map<number, number>()); // edge → point → parameter along the edge
  const recordVertex = (edge: number, vertex: number) => {
    const { from, to } = edges[edge];
    if (vertex === from || vertex === to) return;
    const parameter = projectOntoEdge(positions, from, to, vertex, toleranceMm);
    if (parameter !== undefined) pointsOf[edge].set(vertex, parameter);
  };
  const segments = Uint32Array.from(edges.flatMap(({ from, to }) => [from, to, to]));
  forEachOverlappingPair(widenBoxes(buildBvh(positions, segments), toleranceMm), (i, j) => {
    const [{ from: a, to: b }, { from: c, to: d }] = [edges[i], edges[j]];
    for (const vertex of [c, d]) recordVertex(i, vertex);
    for (const vertex of [a, b]) recordVertex(j, vertex);
    if (a === c || a === d || b === c || b === d) return true;
    const crossing = findCrossing(positions, edges[i], edges[j], toleranceMm);
    if (crossing === undefined) return true;
    const point = (positions.length + newPositions.length) / 3;
    for (let k = 0; k < 3; k++) {
      const start = positions[a * 3 + k];
      newPositions.push(start + crossing.s * (positions[b * 3 + k] - start));
    }
    pointsOf[i].set(point, crossing.s);
    pointsOf[j].set(point, crossing.t);
    return true;
  });
  return edges.flatMap(({ from, to }, edge) => {
    const points = [...pointsOf[edge]].sort(([p, s], [q, t]) => s - t || p - q).map(([point]) => point);
    return points.length > 0 ? [{ from, to, points }] : [];
  });
}

/** Returns the parameter of a vertex that is near an edge, but not near its ends; else `undefined`. */
function projectOntoEdge(
  p: Float64Array,
  from: number,
  to: number,
  vertex: number,
  toleranceMm: number,
): number | undefined {
  const [a, b, c] = [from * 3, to * 3, vertex * 3];
  const [ux, uy, uz] = [p[b] - p[a], p[b + 1] - p[a + 1], p[b + 2] - p[a + 2]];
  const [vx, vy, vz] = [p[c] - p[a], p[c + 1] - p[a + 1], p[c + 2] - p[a + 2]];
  const length = Math.hypot(ux, uy, uz);
  const t = (ux * vx + uy * vy + uz * vz) / (length * length);
  if (!(t * length > toleranceMm && (1 - t) * length > toleranceMm)) return undefined;
  return Math.hypot(vx - t * ux, vy - t * uy, vz - t * uz) <= toleranceMm ? t : undefined;
}

/** Returns the parameters at which two edges cross within the tolerance, not near their ends; else `undefined`. */
function findCrossing(p: Float64Array, e: Edge, f: Edge, toleranceMm: number): { s: number; t: number } | undefined {
  const [a, b, c, d] = [e.from * 3, e.to * 3, f.from * 3, f.to * 3];
  const [ux, uy, uz] = [p[b] - p[a], p[b + 1] - p[a + 1], p[b + 2] - p[a + 2]];
  const [vx, vy, vz] = [p[d] - p[c], p[d + 1] - p[c + 1], p[d + 2] - p[c + 2]];
  const [wx, wy, wz] = [p[a] - p[c], p[a + 1] - p[c + 1], p[a + 2] - p[c + 2]];
  const uu = ux * ux + uy * uy + uz * uz;
  const uv = ux * vx + uy * vy + uz * vz;
  const vv = vx * vx + vy * vy + vz * vz;
  const uw = ux * wx + uy * wy + uz * wz;
  const vw = vx * wx + vy * wy + vz * wz;
  const determinant = uu * vv - uv * uv;
  const s = (uv * vw - vv * uw) / determinant;
  const t = (uu * vw - uv * uw) / determinant;
  const isInside = (parameter: number, squaredLength: number) =>
    Math.min(parameter, 1 - parameter) * Math.sqrt(squaredLength) > toleranceMm;
  if (!isInside(s, uu) || !isInside(t, vv)) return undefined; // also if they are parallel
  const gapMm = Math.hypot(wx + s * ux - t * vx, wy + s * uy - t * vy, wz + s * uz - t * vz);
  return gapMm <= toleranceMm ? { s, t } : undefined;
}
