import { orient2dSign } from '../geometry/predicates.js';
import { NO_TWIN } from '../topology/edges.js';
import { nextOf, previousOf } from '../topology/half-edge.js';
import type { ConstrainedDelaunay } from './constrained-delaunay.js';

/** Limit of attempts per crossed edge. An edge that cannot be flipped yet is retried after others. */
const MAX_FLIPS_PER_EDGE = 50;

/**
 * Inserts a constrained edge between two points of a triangulation by flipping the edges that it crosses (S. W. Sloan,
 * A fast algorithm for generating constrained Delaunay triangulations, 1993).
 *
 * @returns false if a point or a constrained edge lies on the way
 */
export function insertConstraint(triangulation: ConstrainedDelaunay, from: number, to: number): boolean {
  const added: [number, number][] = [];
  if (triangulation.find(from, to) === undefined && triangulation.find(to, from) === undefined) {
    const crossed = findCrossedEdges(triangulation, from, to);
    if (crossed === undefined || !flipCrossedEdges(triangulation, from, to, crossed, added)) return false;
  }
  triangulation.constrain(from, to);
  triangulation.legalize(added.flatMap(([a, b]) => triangulation.find(a, b) ?? []));
  return true;
}

/**
 * Finds the edges that the segment between two points crosses, in order. `undefined` if it passes through a point or
 * crosses a constrained edge.
 */
function findCrossedEdges(
  triangulation: ConstrainedDelaunay,
  from: number,
  to: number,
): [number, number][] | undefined {
  const sideOf = (point: number) => orient2dSign(triangulation.xy, from, to, point);
  let h = triangulation
    .outgoing(from)
    .map(nextOf)
    .find((x) => sideOf(triangulation.originOf[x]) < 0 && sideOf(triangulation.originOf[nextOf(x)]) > 0);
  const crossed: [number, number][] = [];
  while (h !== undefined) {
    const twin = triangulation.twinOf[h];
    if (twin === NO_TWIN || triangulation.isConstrained(h)) return undefined;
    crossed.push([triangulation.originOf[h], triangulation.originOf[nextOf(h)]]);
    const beyond = triangulation.originOf[previousOf(twin)];
    if (beyond === to) return crossed;
    const side = sideOf(beyond);
    if (side === 0) return undefined;
    // The segment leaves through the side of the twin's triangle whose ends are on different sides of it.
    h = side > 0 ? nextOf(twin) : previousOf(twin);
  }
  return undefined;
}

/** Flips the crossed edges until none is left. Collects the new edges, except the constraint itself, in `added`. */
function flipCrossedEdges(
  triangulation: ConstrainedDelaunay,
  from: number,
  to: number,
  crossed: readonly [number, number][],
  added: [number, number][],
): boolean {
  const queue = [...crossed];
  let remainingAttempts = queue.length * MAX_FLIPS_PER_EDGE;
  for (let edge = queue.shift(); edge !== undefined; edge = queue.shift()) {
    if (--remainingAttempts < 0) return false;
    const h = triangulation.find(...edge);
    if (h === undefined) return false;
    if (!triangulation.canFlip(h)) {
      queue.push(edge);
      continue;
    }
    triangulation.flip(h);
    const [a, b] = [triangulation.originOf[h], triangulation.originOf[nextOf(h)]];
    const isEnd = a === from || a === to || b === from || b === to;
    if (!isEnd && orient2dSign(triangulation.xy, from, to, a) !== orient2dSign(triangulation.xy, from, to, b))
      queue.push([a, b]);
    else added.push([a, b]);
  }
  return triangulation.find(from, to) !== undefined || triangulation.find(to, from) !== undefined;
}
