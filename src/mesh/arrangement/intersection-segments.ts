import type { IndexedMesh } from '../core/mesh.js';
import type { Bvh } from '../spatial/bvh.js';
import { forEachOverlappingPair } from '../spatial/overlapping-pairs.js';
import type { Edges } from '../topology/edges.js';
import { nextOf } from '../topology/half-edge.js';
import { type EdgeTriangleIntersection, intersectEdgeTriangle } from './edge-triangle-intersection.js';

/** A point where an edge goes through a triangle. */
export interface IntersectionPoint extends EdgeTriangleIntersection {
  edge: number;
  triangle: number;
}

/** The line along which two triangles meet. Its ends are vertices of the mesh or, from `vertexCount` on, points. */
export interface IntersectionSegment {
  s: number;
  t: number;
  from: number;
  to: number;
}

/** Where the triangles of a mesh cross. */
export interface IntersectionGraph {
  vertexCount: number;
  /** point - vertexCount → what it is */
  points: IntersectionPoint[];
  /** x, y, z of each point */
  coordinates: number[];
  cuts: IntersectionSegment[];
  /** triangle → its cuts, by number */
  segmentsOf: Map<number, number[]>;
  /** half-edge → edge */
  edgeOf: Uint32Array;
}

/** More cuts than this are given up. */
const MAX_SEGMENTS = 400_000;
/** So are more pairs of triangles with touching boxes, for each triangle, above a number that small meshes may always take. */
const MAX_PAIRS_PER_TRIANGLE = 200;
const MIN_PAIR_BUDGET = 10_000_000;

/**
 * Finds where triangles cross of which at least one is marked in `isMoved` (triangle → 1). Points are found once for each edge and triangle, so
 * that all triangles round share them. `undefined` where something only just touches, or the work exceeds its limits.
 */
export function findIntersectionSegments(
  mesh: IndexedMesh,
  edges: Edges,
  tree: Bvh,
  isMoved: Uint8Array,
): IntersectionGraph | undefined {
  const { positions, triangles } = mesh;
  const triangleCount = triangles.length / 3;
  const cuts: IntersectionGraph = {
    vertexCount: positions.length / 3,
    points: [],
    coordinates: [],
    cuts: [],
    segmentsOf: new Map(),
    edgeOf: mapHalfEdgesToEdges(edges),
  };
  const pointOf = new Map<number, number>(); // edge * triangleCount + triangle → point
  let isSound = true;
  let pairBudget = Math.max(MIN_PAIR_BUDGET, triangleCount * MAX_PAIRS_PER_TRIANGLE);
  forEachOverlappingPair(tree, (s, t) => {
    if (isMoved[s] === 0 && isMoved[t] === 0) return true;
    if (--pairBudget < 0 || cuts.cuts.length > MAX_SEGMENTS) isSound = false;
    else isSound = addSegment(mesh, cuts, pointOf, s, t);
    return isSound;
  });
  return isSound ? cuts : undefined;
}

function mapHalfEdgesToEdges({ order, starts }: Edges): Uint32Array {
  const edgeOf = new Uint32Array(order.length);
  for (let edge = 0; edge + 1 < starts.length; edge++) {
    for (let i = starts[edge]; i < starts[edge + 1]; i++) edgeOf[order[i]] = edge;
  }
  return edgeOf;
}

/** Whether all went well. Two triangles of different planes meet in one line, which ends at a shared vertex or where an edge pierces. */
function addSegment(
  mesh: IndexedMesh,
  cuts: IntersectionGraph,
  pointOf: Map<number, number>,
  s: number,
  t: number,
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
  const ends: number[] = sharedCount === 1 ? [shared] : [];
  if (!addEdgeIntersections(mesh, cuts, pointOf, s, t, ends) || !addEdgeIntersections(mesh, cuts, pointOf, t, s, ends))
    return false;
  if (ends.length === sharedCount) return true;
  if (ends.length !== 2) return false;
  const index = cuts.cuts.push({ s, t, from: ends[0], to: ends[1] }) - 1;
  for (const triangle of [s, t]) {
    const existing = cuts.segmentsOf.get(triangle);
    if (existing) existing.push(index);
    else cuts.segmentsOf.set(triangle, [index]);
  }
  return true;
}

/** Adds the points where edges of one triangle go through another to `ends`. False where one only just touches. */
function addEdgeIntersections(
  { positions, triangles }: IndexedMesh,
  cuts: IntersectionGraph,
  pointOf: Map<number, number>,
  from: number,
  through: number,
  ends: number[],
): boolean {
  const [a, b, c] = [triangles[through * 3], triangles[through * 3 + 1], triangles[through * 3 + 2]];
  for (let h = from * 3; h < from * 3 + 3; h++) {
    const [start, end] = [triangles[h], triangles[nextOf(h)]];
    if (hasCorner(triangles, through, start) || hasCorner(triangles, through, end)) continue;
    const edge = cuts.edgeOf[h];
    const key = edge * (triangles.length / 3) + through;
    const existing = pointOf.get(key);
    if (existing !== undefined) {
      ends.push(existing);
      continue;
    }
    const [low, high] = start < end ? [start, end] : [end, start];
    const piercing = intersectEdgeTriangle(positions, low, high, a, b, c);
    if (piercing === 'touching') return false;
    if (piercing === 'apart') continue;
    const point = cuts.vertexCount + cuts.points.push({ ...piercing, edge, triangle: through }) - 1;
    for (let k = 0; k < 3; k++) {
      const value = positions[low * 3 + k];
      cuts.coordinates.push(value + piercing.parameter * (positions[high * 3 + k] - value));
    }
    pointOf.set(key, point);
    ends.push(point);
  }
  return true;
}

function hasCorner(triangles: Uint32Array, triangle: number, vertex: number): boolean {
  const offset = triangle * 3;
  return triangles[offset] === vertex || triangles[offset + 1] === vertex || triangles[offset + 2] === vertex;
}

/** Where a vertex or a point that an edge makes lies in a triangle, as u and v of `EdgeTriangleIntersection`. Not for points where cuts cross. */
export function localCoordinates(
  { triangles }: IndexedMesh,
  cuts: IntersectionGraph,
  triangle: number,
  point: number,
): [number, number] {
  if (point < cuts.vertexCount) {
    const corner = triangles.subarray(triangle * 3, triangle * 3 + 3).indexOf(point);
    return [corner === 1 ? 1 : 0, corner === 2 ? 1 : 0];
  }
  const { parameter, u, v } = cuts.points[point - cuts.vertexCount];
  const side = sideContaining(cuts, triangle, point);
  if (side === undefined) return [u, v];
  const h = triangle * 3 + side;
  const along = triangles[h] < triangles[nextOf(h)] ? parameter : 1 - parameter;
  return side === 0 ? [along, 0] : side === 1 ? [1 - along, along] : [0, 1 - along];
}

/** The side of a triangle that a point lies on; `undefined` for one inside. */
export function sideContaining(cuts: IntersectionGraph, triangle: number, point: number): number | undefined {
  const known = cuts.points[point - cuts.vertexCount];
  // A point where cuts cross has a place, but is not made by an edge.
  if (known === undefined || known.triangle === triangle) return undefined;
  return [0, 1, 2].find((side) => cuts.edgeOf[triangle * 3 + side] === known.edge);
}
