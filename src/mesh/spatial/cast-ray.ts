import type { MeshGeometry } from '../core/mesh.js';
import type { WorkCounter } from '../core/work-counter.js';
import { diagonalOf } from '../geometry/bounds.js';
import { orient3dSign } from '../geometry/predicates.js';
import { type Boxes, type Bvh, boundsOfBvh, LEAF_SIZE } from './bvh.js';

// Directions that models are unlikely to be aligned with. Each is tried if the one before it was ambiguous.
const DIRECTIONS: readonly (readonly [number, number, number])[] = [
  [0.5377, 0.3188, 0.7805],
  [-0.4336, 0.8622, 0.2617],
  [0.3426, -0.3077, 0.8877],
  [-0.6248, -0.7254, 0.2889],
  [0.7147, -0.5049, -0.4841],
  [-0.2238, 0.4793, -0.8486],
];

/** The exact test of a triangle takes as long as the visits of so many nodes. */
const VISITS_PER_TRIANGLE = 8;

/** Returns whether a query considers a triangle. */
export type TriangleFilter = (triangle: number) => boolean;

/** The triangles that a ray from a corner of a triangle crosses. */
export interface CornerRay {
  /** The corner: x, y, z in mm. */
  from: Float64Array;
  hits: number[];
}

/**
 * Returns the triangles accepted by `filter` that a ray from a corner of `fromTriangle` crosses, and the corner.
 *
 * Exact: retries other directions, then other corners, if the ray hits an edge or a vertex or starts in the plane of a
 * triangle. Returns the last result if all are ambiguous.
 */
export function castRay(mesh: MeshGeometry, tree: Bvh, fromTriangle: number, filter: TriangleFilter): CornerRay {
  return castFromCorners(mesh, tree, fromTriangle, (from, to) => castSegment(mesh, tree, from, to, filter));
}

/** Returns the triangles in `among` that a ray from a corner of `fromTriangle` crosses. Exact, as `castRay`. */
export function castRayAt(mesh: MeshGeometry, tree: Bvh, fromTriangle: number, among: readonly number[]): CornerRay {
  return castFromCorners(mesh, tree, fromTriangle, (from, to) => castSegmentAt(mesh, among, from, to));
}

/** Casts a segment between two points. */
type CastSegment = (from: Float64Array, to: Float64Array) => RayHits;

function castFromCorners(mesh: MeshGeometry, tree: Bvh, fromTriangle: number, cast: CastSegment): CornerRay {
  let ray: CornerRay = { from: new Float64Array(3), hits: [] };
  for (let k = 0; k < 3; k++) {
    const offset = mesh.triangles[fromTriangle * 3 + k] * 3;
    const from = mesh.positions.subarray(offset, offset + 3);
    const { hits, isUnambiguous } = castUntilUnambiguous(tree, from, DIRECTIONS, cast);
    ray = { from, hits };
    if (isUnambiguous) break;
  }
  return ray;
}

/**
 * Returns the triangles accepted by `filter` that a ray from any point crosses, in a direction less than 45° from
 * `toward`. Exact, as `castRay`, but retries other directions only.
 */
export function castRayFrom(
  mesh: MeshGeometry,
  tree: Bvh,
  from: readonly number[],
  toward: readonly number[],
  filter: TriangleFilter,
): number[] {
  const length = Math.hypot(...toward);
  // Tilted from `toward` by less than 45°: the tilt has a length of 0.4.
  const directions = DIRECTIONS.map((tilt) => tilt.map((part, k) => part * 0.4 + toward[k] / length));
  const cast: CastSegment = (start, end) => castSegment(mesh, tree, start, end, filter);
  return castUntilUnambiguous(tree, Float64Array.from(from), directions, cast).hits;
}

function castUntilUnambiguous(
  tree: Bvh,
  from: Float64Array,
  directions: readonly (readonly number[])[],
  cast: CastSegment,
): RayHits {
  const length = diagonalOf(boundsOfBvh(tree)) * 3;
  let result: RayHits = { hits: [], isUnambiguous: false };
  for (const direction of directions) {
    const to = Float64Array.from(direction, (part, axis) => from[axis] + part * length);
    result = cast(from, to);
    if (result.isUnambiguous) break;
  }
  return result;
}

/** The triangles that a segment crosses. */
export interface RayHits {
  /** Triangles, in the order of the BVH. Incomplete if ambiguous. */
  hits: number[];
  /** False if the segment hits an edge or a vertex, or has an end in the plane of a triangle. */
  isUnambiguous: boolean;
}

/**
 * Returns the triangles accepted by `filter` that the segment between two points crosses. Exact; stops if ambiguous.
 *
 * @param work counts the visits of nodes
 */
export function castSegment(
  mesh: MeshGeometry,
  tree: Bvh,
  from: Float64Array,
  to: Float64Array,
  filter: TriangleFilter,
  work?: WorkCounter,
): RayHits {
  const hits: number[] = [];
  const points = createSegmentPoints(from, to);
  const inverse = Float64Array.of(1 / (to[0] - from[0]), 1 / (to[1] - from[1]), 1 / (to[2] - from[2]));
  const stack = [1];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    work?.add(1);
    if (!segmentIntersectsBox(from, inverse, tree.nodeBoxes, node * 6)) continue;
    if (node < tree.firstLeaf) {
      stack.push(node * 2, node * 2 + 1);
      continue;
    }
    const first = (node - tree.firstLeaf) * LEAF_SIZE;
    const end = Math.min(tree.order.length, first + LEAF_SIZE);
    for (let slot = first; slot < end; slot++) {
      const triangle = tree.order[slot];
      if (!segmentIntersectsBox(from, inverse, tree.boxes, slot * 6) || !filter(triangle)) continue;
      work?.add(VISITS_PER_TRIANGLE);
      const crossing = segmentCrossesTriangle(mesh, triangle, points);
      if (crossing === undefined) return { hits, isUnambiguous: false };
      if (crossing) hits.push(triangle);
    }
  }
  return { hits, isUnambiguous: true };
}

/** As `castSegment`, but tests each triangle in `among`: faster for few triangles in a dense mesh. */
function castSegmentAt(mesh: MeshGeometry, among: readonly number[], from: Float64Array, to: Float64Array): RayHits {
  const hits: number[] = [];
  const points = createSegmentPoints(from, to);
  for (const triangle of among) {
    const crossing = segmentCrossesTriangle(mesh, triangle, points);
    if (crossing === undefined) return { hits, isUnambiguous: false };
    if (crossing) hits.push(triangle);
  }
  return { hits, isUnambiguous: true };
}

/** Returns five points: room for the corners of a triangle, then both ends of a segment. */
function createSegmentPoints(from: Float64Array, to: Float64Array): Float64Array {
  const points = new Float64Array(15);
  for (let axis = 0; axis < 3; axis++) {
    points[9 + axis] = from[axis];
    points[12 + axis] = to[axis];
  }
  return points;
}

/**
 * Returns whether the segment 3 4 of `points` crosses a triangle, whose corners it writes to the points 0 1 2.
 * `undefined` if ambiguous: the segment touches the boundary of the triangle, or has an end in its plane.
 */
function segmentCrossesTriangle(mesh: MeshGeometry, triangle: number, points: Float64Array): boolean | undefined {
  for (let k = 0; k < 3; k++) {
    const offset = mesh.triangles[triangle * 3 + k] * 3;
    for (let axis = 0; axis < 3; axis++) points[k * 3 + axis] = mesh.positions[offset + axis];
  }
  const start = orient3dSign(points, 0, 1, 2, 3);
  const end = orient3dSign(points, 0, 1, 2, 4);
  if (start * end > 0) return false;
  const a = orient3dSign(points, 3, 4, 0, 1);
  const b = orient3dSign(points, 3, 4, 1, 2);
  const c = orient3dSign(points, 3, 4, 2, 0);
  if (a * b < 0 || b * c < 0 || a * c < 0) return false;
  return start !== 0 && end !== 0 && a !== 0 && b !== 0 && c !== 0 ? true : undefined;
}

/** Widens the interval of the slab test, as a fraction of the segment: more than its rounding error. */
const SLAB_TOLERANCE = 1e-12;

/**
 * Returns whether a segment may intersect a box (slab test, Kay and Kajiya 1986). Misses no intersection.
 *
 * @param from the start of the segment
 * @param inverse axis → 1 / length of the segment along it. Finite unless the mesh is a single point: no direction has a
 * zero component.
 */
function segmentIntersectsBox(from: Float64Array, inverse: Float64Array, boxes: Boxes, offset: number): boolean {
  if (boxes[offset] > boxes[offset + 3]) return false; // an empty node, whose infinite box would seem to be everywhere
  const nearX = (boxes[offset] - from[0]) * inverse[0];
  const farX = (boxes[offset + 3] - from[0]) * inverse[0];
  const nearY = (boxes[offset + 1] - from[1]) * inverse[1];
  const farY = (boxes[offset + 4] - from[1]) * inverse[1];
  const nearZ = (boxes[offset + 2] - from[2]) * inverse[2];
  const farZ = (boxes[offset + 5] - from[2]) * inverse[2];
  const enter = Math.max(Math.min(nearX, farX), Math.min(nearY, farY), Math.min(nearZ, farZ));
  const leave = Math.min(Math.max(nearX, farX), Math.max(nearY, farY), Math.max(nearZ, farZ));
  return Math.max(enter, 0) - SLAB_TOLERANCE <= Math.min(leave, 1) + SLAB_TOLERANCE;
}
