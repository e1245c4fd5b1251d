import { doubleAreaNormal } from '../geometry/double-area-normal.js';
import { buildEdges, type Edges } from '../topology/edges.js';
import { triangleOf } from '../topology/half-edge.js';
import type { RepairMesh } from './step.js';

/** A fold is looked for where normals are as good as opposite; whether it lies in one plane is for the distances to say. */
const FOLD_COSINE = 0.99;
/** Of so many triangles at one edge each is held against each; two is usual. */
const MAX_TRIANGLES_PER_EDGE = 8;

/** Triangles in one plane that hang together by edges. */
export interface PlanarRegion {
  members: readonly number[];
  /** The axis that the plane's normal leans to most: seen along it every triangle shows its area. */
  axis: number;
}

/**
 * The regions of triangles of one object, all corners within `withinMm` of one plane, in which some face one way and some the other: they lie
 * over each other. The plane is that of the largest triangle at a fold, an edge from which two go back to the same side. No triangle is in two
 * regions.
 */
export function* findFoldedRegions(mesh: RepairMesh, withinMm: number): Generator<PlanarRegion> {
  const edges = buildEdges(mesh.triangles, mesh.positions.length / 3);
  const edgesOf = mapHalfEdgesToEdges(edges, mesh.triangles.length);
  const isTaken = new Uint8Array(mesh.triangles.length / 3);
  for (const seed of findFolds(mesh, edges)) {
    if (isTaken[seed] === 1) continue;
    const normal = doubleAreaNormal(mesh.positions, mesh.triangles, seed);
    const members = growRegion(mesh, edges, edgesOf, seed, normal, withinMm, isTaken);
    const isFolded = members.some(
      (triangle) => dot(doubleAreaNormal(mesh.positions, mesh.triangles, triangle), normal) < 0,
    );
    const absNormal = normal.map(Math.abs);
    if (isFolded) yield { members, axis: absNormal.indexOf(Math.max(...absNormal)) };
  }
}

/** half-edge → its edge */
function mapHalfEdgesToEdges({ order, starts }: Edges, halfEdgeCount: number): Uint32Array {
  const edgesOf = new Uint32Array(halfEdgeCount);
  for (let edge = 0; edge + 1 < starts.length; edge++)
    for (let i = starts[edge]; i < starts[edge + 1]; i++) edgesOf[order[i]] = edge;
  return edgesOf;
}

/** The larger triangle of each two neighbours at an edge that fold back onto each other, by falling area. */
function findFolds({ positions, triangles }: RepairMesh, { order, starts }: Edges): number[] {
  const areaOf = new Map<number, number>();
  const note = (s: number, t: number) => {
    const n = doubleAreaNormal(positions, triangles, s);
    const m = doubleAreaNormal(positions, triangles, t);
    const [area, other] = [Math.hypot(...n), Math.hypot(...m)];
    if (!(dot(n, m) < -FOLD_COSINE * area * other)) return;
    if (area >= other) areaOf.set(s, area);
    else areaOf.set(t, other);
  };
  for (let edge = 0; edge + 1 < starts.length; edge++) {
    for (let i = starts[edge]; i < starts[edge + 1]; i++) {
      const end = Math.min(starts[edge + 1], i + MAX_TRIANGLES_PER_EDGE);
      for (let j = i + 1; j < end; j++) note(triangleOf(order[i]), triangleOf(order[j]));
    }
  }
  return [...areaOf].sort(([s, area], [t, other]) => other - area || s - t).map(([triangle]) => triangle);
}

function growRegion(
  { positions, triangles, objectOf }: RepairMesh,
  { order, starts }: Edges,
  edgesOf: Uint32Array,
  seed: number,
  normal: readonly number[],
  withinMm: number,
  isTaken: Uint8Array,
): number[] {
  const origin = triangles[seed * 3] * 3;
  const withinTimesLength = withinMm * Math.hypot(...normal);
  const isNear = (vertex: number) => {
    const from = [0, 1, 2].map((k) => positions[vertex * 3 + k] - positions[origin + k]);
    return Math.abs(dot(from, normal)) <= withinTimesLength;
  };
  const members = [seed];
  isTaken[seed] = 1;
  for (let index = 0; index < members.length; index++) {
    for (let h = members[index] * 3; h < members[index] * 3 + 3; h++) {
      for (let i = starts[edgesOf[h]]; i < starts[edgesOf[h] + 1]; i++) {
        const next = triangleOf(order[i]);
        if (isTaken[next] === 1 || objectOf[next] !== objectOf[seed]) continue;
        if (!triangles.subarray(next * 3, next * 3 + 3).every(isNear)) continue;
        isTaken[next] = 1;
        members.push(next);
      }
    }
  }
  return members;
}

const dot = (u: readonly number[], v: readonly number[]): number => u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
