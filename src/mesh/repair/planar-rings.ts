import { distance } from '../geometry/distance.js';
import { newellNormal } from '../geometry/newell-normal.js';
import { createPointInBoxQuery, emptyBoxes, expandBox } from '../spatial/point-in-box-query.js';

/** A ring is planar if no vertex is farther from its plane than this fraction of its size. */
const PLANARITY_TOLERANCE = 1e-3;
/**
 * Two rings are coplanar if no vertex of one is farther from the plane of the other than this fraction of the other's
 * size.
 */
const COPLANARITY_TOLERANCE = 1e-5;

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
  const boxes = emptyBoxes(bySize.length);
  bySize.forEach(({ ring }, i) => {
    for (const vertex of ring) expandBox(boxes, i, positions, vertex);
  });
  const findContainingBoxes = createPointInBoxQuery(boxes);
  bySize.forEach((inner, index) => {
    const outer = findContainingBoxes(positions.subarray(inner.ring[0] * 3))
      .filter((candidate) => candidate > index)
      .map((candidate) => bySize[candidate])
      .find((candidate) => isHoleOf(positions, inner, candidate));
    if (!outer) return;
    polygons.get(outer)?.push(inner.ring);
    isInner.add(inner);
  });
  return bySize.filter((ring) => !isInner.has(ring)).map((ring) => polygons.get(ring) ?? [ring.ring]);
}

function isHoleOf(positions: Float64Array, inner: PlanarRing, outer: PlanarRing): boolean {
  const cosine = inner.normal.reduce((sum, part, k) => sum + part * outer.normal[k], 0);
  if (cosine > -0.999) return false;
  if (!isNearPlane(positions, outer, inner.ring, COPLANARITY_TOLERANCE)) return false;
  return isInside(positions, inner.ring[0], outer);
}

function isNearPlane(
  positions: Float64Array,
  plane: PlanarRing,
  vertices: readonly number[],
  toleranceFraction: number,
): boolean {
  const origin = plane.ring[0] * 3;
  return vertices.every((vertex) => {
    const height = [0, 1, 2].reduce(
      (sum, k) => sum + (positions[vertex * 3 + k] - positions[origin + k]) * plane.normal[k],
      0,
    );
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
