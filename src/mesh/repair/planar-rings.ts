import { dot } from '../core/vec3.js';
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
/** Two normals are opposite if their cosine is at most this: except for 2.6°, or a distance of 0.0448 on the unit sphere. */
const OPPOSITE_COSINE = -0.999;
/** Size of the cells into which normals are sorted, above twice this distance: opposite normals are in at most eight cells. */
const CELL_SIZE = 0.1;

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
  const groups = groupByNormal(positions, bySize);
  bySize.forEach((inner, index) => {
    const outer = findOuter(positions, bySize, index, groups);
    if (!outer) return;
    polygons.get(outer)?.push(inner.ring);
    isInner.add(inner);
  });
  return bySize.filter((ring) => !isInner.has(ring)).map((ring) => polygons.get(ring) ?? [ring.ring]);
}

/** Rings whose normals are in one cell. */
interface RingGroup {
  /** Indices of the rings, in ascending order. */
  members: number[];
  /** Queries of the bounding boxes of each block of members. */
  queries: ContainingBoxesQuery[];
}

/** Groups rings by the cell of their normal. Returns cell → group. */
function groupByNormal(positions: Float64Array, rings: readonly PlanarRing[]): Map<number, RingGroup> {
  const groups = new Map<number, RingGroup>();
  rings.forEach(({ normal }, index) => {
    const [cell] = cellsAround(normal, 0);
    const group = groups.get(cell);
    if (group) group.members.push(index);
    else groups.set(cell, { members: [index], queries: [] });
  });
  for (const { members, queries } of groups.values())
    for (let start = 0; start < members.length; start += BLOCK_SIZE)
      queries.push(createQuery(positions, rings, members.slice(start, start + BLOCK_SIZE)));
  return groups;
}

/** Returns the cells within a distance of a point along each axis. */
function cellsAround(point: readonly number[], distance: number): number[] {
  const [x, y, z] = point.map((part) => {
    const [low, high] = [part - distance, part + distance].map((value) => Math.floor((value + 2) / CELL_SIZE));
    return low === high ? [low] : [low, high];
  });
  return x.flatMap((i) => y.flatMap((j) => z.map((k) => (i * 64 + j) * 64 + k)));
}

/** Creates a query of the bounding boxes of rings. */
function createQuery(
  positions: Float64Array,
  rings: readonly PlanarRing[],
  members: readonly number[],
): ContainingBoxesQuery {
  const boxes = emptyBoxes(members.length);
  members.forEach((member, i) => {
    for (const vertex of rings[member].ring) expandBox(boxes, i, positions, vertex);
  });
  return createContainingBoxesQuery(boxes);
}

/** Returns the first ring after the ring `index` of which it is a hole. */
function findOuter(
  positions: Float64Array,
  rings: readonly PlanarRing[],
  index: number,
  groups: ReadonlyMap<number, RingGroup>,
): PlanarRing | undefined {
  const inner = rings[index];
  const point = positions.slice(inner.ring[0] * 3, inner.ring[0] * 3 + 3);
  const opposite = inner.normal.map((part) => -part);
  let first = rings.length;
  for (const cell of cellsAround(opposite, Math.sqrt(2 + 2 * OPPOSITE_COSINE))) {
    const { members, queries } = groups.get(cell) ?? { members: [], queries: [] };
    for (let block = 0; block < queries.length && members[block * BLOCK_SIZE] < first; block++) {
      if (members[Math.min(members.length, (block + 1) * BLOCK_SIZE) - 1] <= index) continue;
      queries[block](point, point, (offset) => {
        const candidate = members[block * BLOCK_SIZE + offset];
        if (candidate <= index || candidate >= first || dot(inner.normal, rings[candidate].normal) > OPPOSITE_COSINE)
          return;
        if (isHoleOf(positions, inner, rings[candidate])) first = candidate;
      });
    }
  }
  return rings[first];
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
