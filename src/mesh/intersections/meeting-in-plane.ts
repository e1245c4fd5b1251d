import { turnAlong } from '../spatial/predicates.js';

/** How two triangles meet beyond what they share. `crossing`: in some point; `overlapping`: they lie in one plane and share area. */
export type Meeting = 'apart' | 'crossing' | 'overlapping';

type Corners = readonly number[];

/**
 * The exact test of two triangles in one plane. Corners are vertex numbers; the first `freeCount` of each are not shared.
 * Convex shapes are parted by a line along one of their edges, or not at all (separating axis theorem).
 */
export function meetingInPlane(p: Float64Array, a: Corners, b: Corners, freeCount: number): Meeting {
  // Seen along an axis in which one of them keeps an area, the other does: they lie in one plane.
  const axis = [0, 1, 2].find((candidate) => turnAlong(candidate, p, a[0], a[1], a[2]) !== 0) ?? 0;
  const gap = Math.max(gapBeyondEdges(axis, p, a, b), gapBeyondEdges(axis, p, b, a));
  if (gap < 0) return 'overlapping';
  if (freeCount === 3) return gap > 0 ? 'apart' : 'crossing';
  const isTouched =
    b.slice(0, freeCount).some((v) => isInside(axis, p, v, a)) ||
    a.slice(0, freeCount).some((v) => isInside(axis, p, v, b));
  return isTouched ? 'crossing' : 'apart';
}

/** 1: an edge has all of `other` strictly outside; 0: an edge has all of it outside or on its line; -1: neither. */
function gapBeyondEdges(axis: number, p: Float64Array, corners: Corners, other: Corners): number {
  const winding = turnAlong(axis, p, corners[0], corners[1], corners[2]);
  const gaps = [0, 1, 2].map((edge) =>
    Math.min(...other.map((v) => -winding * turnAlong(axis, p, corners[edge], corners[(edge + 1) % 3], v))),
  );
  return Math.max(...gaps);
}

/** Whether the vertex lies within the triangle or on its edges. */
function isInside(axis: number, p: Float64Array, vertex: number, corners: Corners): boolean {
  const winding = turnAlong(axis, p, corners[0], corners[1], corners[2]);
  return [0, 1, 2].every((edge) => turnAlong(axis, p, corners[edge], corners[(edge + 1) % 3], vertex) * winding >= 0);
}
