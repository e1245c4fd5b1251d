import { nextOf } from '../topology/half-edge.js';

/** Points on edges of a mesh, in order along them. */
export interface EdgePoints {
  /** The points between two vertices of an edge, from the first to the second; none for most. */
  between(from: number, to: number): readonly number[];
  set(from: number, to: number, points: readonly number[]): void;
}

/** No edge has points yet. `vertexCount`: of the points that will be, too. */
export function createEdgePoints(vertexCount: number): EdgePoints {
  const upward = new Map<number, readonly number[]>(); // lower vertex * vertexCount + higher → points from the lower one up
  const none: readonly number[] = [];
  return {
    between(from, to) {
      const points = upward.get(Math.min(from, to) * vertexCount + Math.max(from, to)) ?? none;
      return from < to || points.length < 2 ? points : [...points].reverse();
    },
    set(from, to, points) {
      upward.set(Math.min(from, to) * vertexCount + Math.max(from, to), from < to ? points : [...points].reverse());
    },
  };
}

/**
 * Splits a triangle at the points on its sides, one after the other; a triangle that had one of its own corners on a side is left out. So is what
 * one without area comes back to: points on one line can lie on its sides in turn, for ever.
 *
 * @returns three vertex numbers a triangle, in its winding
 */
export function splitTriangleAtPoints(corners: readonly number[], edgePoints: EdgePoints): number[] {
  const done: number[] = [];
  const open = [corners];
  const seen = new Set<string>();
  for (let triangle = open.pop(); triangle !== undefined; triangle = open.pop()) {
    const [a, b, c] = triangle;
    if (a === b || b === c || c === a) continue;
    const side = [0, 1, 2].find((k) => edgePoints.between(triangle[k], triangle[nextOf(k)]).length > 0);
    if (side === undefined) {
      done.push(a, b, c);
      continue;
    }
    const [from, to, apex] = [0, 1, 2].map((k) => triangle[(side + k) % 3]);
    const key = `${from} ${to} ${apex}`;
    if (seen.has(key)) continue;
    seen.add(key);
    const [point, ...rest] = edgePoints.between(from, to);
    if (rest.length > 0) edgePoints.set(point, to, rest);
    open.push([from, point, apex], [point, to, apex]);
  }
  return done;
}
