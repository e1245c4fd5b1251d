import { pairKey } from '../core/pair-key.js';
import { nextOf } from '../topology/half-edge.js';

/** An index of the points to split the edges of a mesh at. */
export interface EdgePoints {
  /** Returns the points on the edge between two vertices, in order from `from` to `to`. */
  between(from: number, to: number): readonly number[];
  /** Sets the points on an edge, in order from `from` to `to`. */
  set(from: number, to: number, points: readonly number[]): void;
}

/**
 * Creates an empty index.
 *
 * @param vertexCount number of vertices, including the points to be set
 */
export function createEdgePoints(vertexCount: number): EdgePoints {
  // edge key → points, in order from the lower vertex
  const pointsOf = new Map<number, readonly number[]>();
  const none: readonly number[] = [];
  return {
    between(from, to) {
      const points = pointsOf.get(pairKey(from, to, vertexCount)) ?? none;
      return from < to || points.length < 2 ? points : [...points].reverse();
    },
    set(from, to, points) {
      pointsOf.set(pairKey(from, to, vertexCount), from < to ? points : [...points].reverse());
    },
  };
}

/**
 * Splits a triangle at the points on its sides, one after the other. Drops resulting triangles with two equal corners,
 * and those that were split before: in a degenerate triangle, points on one line can lie on its sides in turn, without
 * end.
 *
 * @param edgePoints the points on edges; edges of split triangles are added
 * @returns three vertex indices per triangle, in the winding of the source
 */
export function splitTriangleAtPoints(corners: readonly number[], edgePoints: EdgePoints): number[] {
  const triangles: number[] = [];
  const pending = [corners];
  const split = new Set<string>();
  for (let triangle = pending.pop(); triangle !== undefined; triangle = pending.pop()) {
    const [a, b, c] = triangle;
    if (a === b || b === c || c === a) continue;
    const side = [0, 1, 2].find((k) => edgePoints.between(triangle[k], triangle[nextOf(k)]).length > 0);
    if (side === undefined) {
      triangles.push(a, b, c);
      continue;
    }
    const [from, to, apex] = [0, 1, 2].map((k) => triangle[(side + k) % 3]);
    const key = `${from} ${to} ${apex}`;
    if (split.has(key)) continue;
    split.add(key);
    const [point, ...remaining] = edgePoints.between(from, to);
    if (remaining.length > 0) edgePoints.set(point, to, remaining);
    pending.push([from, point, apex], [point, to, apex]);
  }
  return triangles;
}
