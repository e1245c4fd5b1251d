import { distance } from '../geometry/distance.js';
import { newellNormal } from '../geometry/newell-normal.js';
import {
  type ContainingBoxesQuery,
  createContainingBoxesQuery,
  emptyBoxes,
  expandBox,
} from '../spatial/containing-boxes.js';

/** A ring is planar if no vertex is farther from its plane than this fraction of its size. */
const PLANARITY_TOLERANCE = 1e-3;
/**
 * Two rings are coplanar if no vertex of one is farther from the plane of the other than this fraction of the other's
 * size.
 */
const COPLANARITY_TOLERANCE = 1e-5;
/** Rings are compared in blocks of this many, smallest first: most rings are holes of a ring of the first blocks, or of none. */
const BLOCK_SIZE = 512;

/** A ring of vertices that lie in a plane. */
export interface PlanarRing {
  ring: readonly number[];
  /** The unit normal of a polygon that fills the ring. */
  normal: readonly number[];
  areaMm2: number;
  /** The distance from the first vertex to the farthest one. */
  sizeMm: number;
}

/** Computes the plane of a ring. Returns `undefined` if the ring is not planar or has no area. */
export function toPlanarRing(positions: Float64Array, ring: readonly number[]): PlanarRing | undefined {
  const doubleNormal = newellNormal(positions, ring);
  const length = Math.hypot(...doubleNormal);
  if (!(length > 0)) return undefined;
  const normal = doubleNormal.map((part) => part / length);
  const sizeMm = Math.max(...ring.map((vertex) => distance(positions, ring[0], vertex)));
  const planar = { ring, normal, areaMm2: length / 2, sizeMm };
  return isNearPlane(positions, planar, ring, PLANARITY_TOLERANCE) ? planar : undefined;
}

/**
 * Groups rings into polygons with holes. A ring is a hole of the smallest ring that contains it, is coplanar with it
 * and faces the opposite way. The end of a tube is therefore filled by an annulus instead of two discs.
 *
 * @returns the rings of each polygon, the outer one first
 */
export function nestPlanarRings(positions: Float64Array, rings: readonly PlanarRing[]): (readonly number[])[][] {
  const bySize = [...rings].sort((a, b) => a.areaMm2 - b.areaMm2 || a.ring[0] - b.ring[0]);
  const polygons = new Map<PlanarRing, (readonly number[])[]>();
  const isInner = new Set<PlanarRing>();
  for (const outer of bySize) polygons.set(outer, [outer.ring]);
  const queries = createQueries(positions, bySize);
  const normals = Float64Array.from(bySize.flatMap(({ normal }) => normal));
  bySize.forEach((inner, index) => {
    const outer = findOuter(positions, bySize, index, queries, normals);
    if (!outer) return;
    polygons.get(outer)?.push(inner.ring);
    isInner.add(inner);
  });
  return bySize.filter((ring) => !isInner.has(ring)).map((ring) => polygons.get(ring) ?? [ring.ring]);
}

/** Creates a query of the bounding boxes of each block of rings. */
function createQueries(positions: Float64Array, rings: readonly PlanarRing[]): ContainingBoxesQuery[] {
  return Array.from({ length: Math.ceil(rings.length / BLOCK_SIZE) }, (_, block) => {
    const blockRings = rings.slice(block * BLOCK_SIZE, (block + 1) * BLOCK_SIZE);
    const boxes = emptyBoxes(blockRings.length);
    blockRings.forEach(({ ring }, i) => {
      for (const vertex of ring) expandBox(boxes, i, positions, vertex);
    });
    return createContainingBoxesQuery(boxes);
  });
}

/** Returns the first ring after the ring `index` of which it is a hole. */
function findOuter(
  positions: Float64Array,
  rings: readonly PlanarRing[],
  index: number,
  queries: readonly ContainingBoxesQuery[],
  normals: Float64Array,
): PlanarRing | undefined {
  const inner = rings[index];
  const point = positions.slice(inner.ring[0] * 3, inner.ring[0] * 3 + 3);
  for (let block = Math.floor(index / BLOCK_SIZE); block < queries.length; block++) {
    let first = rings.length;
    queries[block](point, point, (offset) => {
      const candidate = block * BLOCK_SIZE + offset;
      if (candidate <= index || candidate >= first || !areOpposite(normals, index, candidate)) return;
      if (isHoleOf(positions, inner, rings[candidate])) first = candidate;
    });
    if (first < rings.length) return rings[first];
  }
  return undefined;
}

/** Whether two of the normals are opposite to each other, except for 2.6°. */
function areOpposite(normals: Float64Array, one: number, other: number): boolean {
  const [a, b] = [one * 3, other * 3];
  return normals[a] * normals[b] + normals[a + 1] * normals[b + 1] + normals[a + 2] * normals[b + 2] <= -0.999;
}

/** Whether a ring is in the plane of another and inside it. */
function isHoleOf(positions: Float64Array, inner: PlanarRing, outer: PlanarRing): boolean {
  return isNearPlane(positions, outer, inner.ring, COPLANARITY_TOLERANCE) && isInside(positions, inner.ring[0], outer);
}

function isNearPlane(
  positions: Float64Array,
  plane: PlanarRing,
  vertices: readonly number[],
  toleranceFraction: number,
): boolean {
  const origin = plane.ring[0] * 3;
  const [x, y, z] = plane.normal;
  return vertices.every((vertex) => {
    const height =
      (positions[vertex * 3] - positions[origin]) * x +
      (positions[vertex * 3 + 1] - positions[origin + 1]) * y +
      (positions[vertex * 3 + 2] - positions[origin + 2]) * z;
    return Math.abs(height) <= plane.sizeMm * toleranceFraction;
  });
}

/** Whether a vertex is inside a ring, both projected along the dominant axis of the ring's normal (even-odd rule). */
function isInside(positions: Float64Array, vertex: number, { ring, normal }: PlanarRing): boolean {
  const absNormal = normal.map(Math.abs);
  const axis = absNormal.indexOf(Math.max(...absNormal));
  const [u, v] = [0, 1, 2].filter((k) => k !== axis);
  const [x, y] = [positions[vertex * 3 + u], positions[vertex * 3 + v]];
  let isInsideRing = false;
  for (let i = 0; i < ring.length; i++) {
    const a = ring[i] * 3;
    const b = ring[(i + 1) % ring.length] * 3;
    if (positions[a + v] > y === positions[b + v] > y) continue;
    const fraction = (y - positions[a + v]) / (positions[b + v] - positions[a + v]);
    if (x < positions[a + u] + fraction * (positions[b + u] - positions[a + u])) isInsideRing = !isInsideRing;
  }
  return isInsideRing;
}
