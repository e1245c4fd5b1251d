import { orient2d } from 'robust-predicates';
import type { Meeting } from './meeting.js';

/**
 * Makes the exact test of two triangles in one plane. Their corners are vertex numbers; the first `freeCount` of each are not
 * shared. Convex shapes are parted by a line along one of their edges, or not at all (separating axis theorem).
 */
export function createPlaneTest(
  positions: Float64Array,
): (a: readonly number[], b: readonly number[], freeCount: number) => Meeting {
  // x, y of three corners, counter-clockwise; the order of corners is that of the vertices, or its reverse
  const flatA = new Float64Array(6);
  const flatB = new Float64Array(6);

  const flatten = (corners: readonly number[], x: number, y: number, flat: Float64Array): number => {
    for (let i = 0; i < 3; i++) {
      flat[i * 2] = positions[corners[i] * 3 + x];
      flat[i * 2 + 1] = positions[corners[i] * 3 + y];
    }
    return turn(flat, 0, 1, flat[4], flat[5]);
  };

  return (a, b, freeCount) => {
    // A projection in which one of them keeps an area keeps that of the other: they lie in one plane.
    let [x, y] = [0, 1];
    if (flatten(a, x, y, flatA) === 0) [x, y] = [1, 2];
    if (flatten(a, x, y, flatA) === 0) [x, y] = [2, 0];
    const turnOfA = flatten(a, x, y, flatA);
    const turnOfB = flatten(b, x, y, flatB);
    const gap = Math.max(gapBeyondEdges(flatA, turnOfA, flatB), gapBeyondEdges(flatB, turnOfB, flatA));
    if (gap < 0) return 'overlapping';
    if (freeCount === 3) return gap > 0 ? 'apart' : 'crossing';
    const isTouched = isAnyInside(flatB, freeCount, flatA, turnOfA) || isAnyInside(flatA, freeCount, flatB, turnOfB);
    return isTouched ? 'crossing' : 'apart';
  };
}

/** Positive where the point lies to the left of the line from one corner to another, 0 on it. */
function turn(flat: Float64Array, from: number, to: number, x: number, y: number): number {
  return -orient2d(flat[from * 2], flat[from * 2 + 1], flat[to * 2], flat[to * 2 + 1], x, y);
}

/** 1: an edge has all of `other` strictly outside; 0: an edge has all of it outside or on its line; -1: neither. */
function gapBeyondEdges(flat: Float64Array, winding: number, other: Float64Array): number {
  let best = -1;
  for (let edge = 0; edge < 3; edge++) {
    let nearest = 1;
    for (let corner = 0; corner < 3; corner++) {
      const to = (edge + 1) % 3;
      const outside = -Math.sign(turn(flat, edge, to, other[corner * 2], other[corner * 2 + 1]) * Math.sign(winding));
      if (outside < nearest) nearest = outside;
    }
    if (nearest > best) best = nearest;
  }
  return best;
}

/** Whether one of the first `count` corners lies within the triangle or on its edges. */
function isAnyInside(corners: Float64Array, count: number, flat: Float64Array, winding: number): boolean {
  for (let corner = 0; corner < count; corner++) {
    let isInside = true;
    for (let edge = 0; edge < 3; edge++) {
      const to = (edge + 1) % 3;
      if (turn(flat, edge, to, corners[corner * 2], corners[corner * 2 + 1]) * Math.sign(winding) < 0) isInside = false;
    }
    if (isInside) return true;
  }
  return false;
}
