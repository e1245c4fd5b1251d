import { orient2dSign } from '../geometry/predicates.js';
import { IntervalTree } from './interval-tree.js';

const NONE = -1;

/**
 * Triangulates a simple polygon with holes in O(n log n) expected time by a sweep from top to bottom (S. Hertel and K.
 * Mehlhorn, Fast triangulation of simple polygons, 1983). Exact, also for collinear corners; a corner that equals the one
 * before it is dropped.
 *
 * @param xy corner → x, y; the outer ring is counterclockwise and comes first, the holes are clockwise
 * @param holeStarts the first corner of each hole. Default: no holes.
 * @returns three corners per triangle, counterclockwise; `undefined` if an inconsistency shows that the polygon
 * intersects itself. Not every such polygon is detected: callers verify the area.
 */
export function triangulateBySweep(xy: readonly number[], holeStarts: readonly number[] = []): number[] | undefined {
  const starts = [0, ...holeStarts];
  const rings = starts.map((start, ring) => findDistinctCorners(xy, start, starts[ring + 1] ?? xy.length / 2));
  const corners = rings.flat();
  const distinct = corners.flatMap((corner) => [xy[corner * 2], xy[corner * 2 + 1]]);
  const sweep = new PolygonSweep(
    distinct,
    rings.map(({ length }) => length),
  );
  for (const corner of sortFromTop(distinct)) if (!sweep.visit(corner)) return undefined;
  return sweep.triangles.map((corner) => corners[corner]);
}

/** Returns the corners of a ring that are not equal to the one before. */
function findDistinctCorners(xy: readonly number[], start: number, end: number): number[] {
  const corners: number[] = [];
  for (let corner = start; corner < end; corner++) {
    const before = corner === start ? end - 1 : corner - 1;
    if (xy[corner * 2] !== xy[before * 2] || xy[corner * 2 + 1] !== xy[before * 2 + 1]) corners.push(corner);
  }
  return corners;
}

/** Returns whether corner `a` is visited before `b`: it is higher, or equally high and to the left. */
function isAbove(xy: readonly number[], a: number, b: number): boolean {
  const dy = xy[a * 2 + 1] - xy[b * 2 + 1];
  const dx = xy[b * 2] - xy[a * 2];
  return dy > 0 || (dy === 0 && (dx > 0 || (dx === 0 && a < b)));
}

function sortFromTop(xy: readonly number[]): Uint32Array {
  return Uint32Array.from({ length: xy.length / 2 }, (_, corner) => corner).sort((a, b) =>
    isAbove(xy, a, b) ? -1 : 1,
  );
}

/**
 * The state of the sweep. An interval is a part of the sweep line inside the polygon, between an edge that leads down on
 * its left and one that leads up on its right. Above it lies a chain of corners that are visited but not completely
 * triangulated. No inner corner of a chain is convex, so that a new corner sees a range of the chain from one end.
 *
 * An edge has the number of the corner at which it starts.
 */
class PolygonSweep {
  readonly triangles: number[] = [];
  readonly #xy: readonly number[];
  /** corner → the corner before and after it in its ring */
  readonly #before: Int32Array;
  readonly #after: Int32Array;
  /** The intervals from left to right. */
  readonly #intervals: IntervalTree;
  /** edge → the interval that it bounds, or -1 */
  readonly #intervalOf: Int32Array;
  /** interval → its edges, the ends of its chain, and the lowest node of its chain */
  readonly #leftEdge: number[] = [];
  readonly #rightEdge: number[] = [];
  readonly #leftEnd: number[] = [];
  readonly #rightEnd: number[] = [];
  readonly #lowest: number[] = [];
  /** chain node → its corner and its neighbors, or -1 */
  readonly #cornerOf: number[] = [];
  readonly #previous: number[] = [];
  readonly #next: number[] = [];

  /** @param ringLengths number of corners of each ring */
  constructor(xy: readonly number[], ringLengths: readonly number[]) {
    this.#xy = xy;
    const count = xy.length / 2;
    this.#before = new Int32Array(count);
    this.#after = new Int32Array(count);
    let start = 0;
    for (const length of ringLengths) {
      for (let i = 0; i < length; i++) {
        this.#after[start + i] = start + ((i + 1) % length);
        this.#before[start + ((i + 1) % length)] = start + i;
      }
      start += length;
    }
    this.#intervals = new IntervalTree(count);
    this.#intervalOf = new Int32Array(count).fill(NONE);
  }

  /** Moves the sweep line to the next corner. Returns false if the polygon is found to intersect itself. */
  visit(corner: number): boolean {
    const before = this.#before[corner];
    const after = this.#after[corner];
    const isBeforeLower = isAbove(this.#xy, corner, before);
    const isAfterLower = isAbove(this.#xy, corner, after);
    if (isBeforeLower && isAfterLower) {
      const isConvex = orient2dSign(this.#xy, before, corner, after) > 0;
      return isConvex ? this.#start(corner, before, after) : this.#split(corner, before, after);
    }
    // Edges that end at this corner bound an interval on their right if they lead down, else on their left.
    const right = isBeforeLower ? NONE : this.#intervalOf[before];
    const left = isAfterLower ? NONE : this.#intervalOf[corner];
    if (right !== NONE && this.#leftEdge[right] !== before) return false;
    if (left !== NONE && this.#rightEdge[left] !== corner) return false;
    if (isAfterLower) return right !== NONE && this.#bendLeft(corner, right);
    if (isBeforeLower) return left !== NONE && this.#bendRight(corner, before, left);
    if (left === NONE || right === NONE) return false;
    return left === right ? this.#end(corner, left) : this.#merge(corner, left, right);
  }

  #start(corner: number, before: number, after: number): boolean {
    const node = this.#addNode(corner);
    const interval = this.#addInterval(this.#findInterval(corner, after), node, node);
    this.#setEdges(interval, corner, before);
    return true;
  }

  #split(corner: number, before: number, after: number): boolean {
    const left = this.#findInterval(corner, after);
    if (left === NONE) return false;
    // The chain is cut at its lowest node, which both parts keep.
    const lowest = this.#lowest[left];
    const copy = this.#addNode(this.#cornerOf[lowest]);
    const next = this.#next[lowest];
    const right = this.#addInterval(left, copy, next === NONE ? copy : this.#rightEnd[left]);
    if (next !== NONE) this.#link(copy, next);
    this.#next[lowest] = NONE;
    this.#rightEnd[left] = lowest;
    this.#setEdges(right, corner, this.#rightEdge[left]);
    this.#setEdges(left, this.#leftEdge[left], before);
    this.#addToRightEnd(left, corner);
    this.#addToLeftEnd(right, corner);
    return true;
  }

  #bendLeft(corner: number, interval: number): boolean {
    this.#setEdges(interval, corner, this.#rightEdge[interval]);
    this.#addToLeftEnd(interval, corner);
    return true;
  }

  #bendRight(corner: number, before: number, interval: number): boolean {
    this.#setEdges(interval, this.#leftEdge[interval], before);
    this.#addToRightEnd(interval, corner);
    return true;
  }

  /** Closes an interval. Its last corner sees the whole chain. */
  #end(corner: number, interval: number): boolean {
    this.#addToLeftEnd(interval, corner);
    this.#intervals.remove(interval);
    return this.#next[this.#leftEnd[interval]] === this.#rightEnd[interval];
  }

  #merge(corner: number, left: number, right: number): boolean {
    this.#addToRightEnd(left, corner);
    this.#addToLeftEnd(right, corner);
    // The chains are joined at the corner, which is an end of both.
    const node = this.#rightEnd[left];
    this.#link(node, this.#next[this.#leftEnd[right]]);
    this.#rightEnd[left] = this.#rightEnd[right];
    this.#lowest[left] = node;
    this.#intervals.remove(right);
    this.#setEdges(left, this.#leftEdge[left], this.#rightEdge[right]);
    return true;
  }

  /** Returns the last interval that begins to the left of a corner; for one on its edge, of the edge to `after`. */
  #findInterval(corner: number, after: number): number {
    return this.#intervals.findLast((interval) => {
      const upper = this.#leftEdge[interval];
      const lower = this.#after[upper];
      const side = orient2dSign(this.#xy, upper, lower, corner) || orient2dSign(this.#xy, upper, lower, after);
      return side > 0;
    });
  }

  #addInterval(previous: number, leftEnd: number, rightEnd: number): number {
    const interval = this.#leftEnd.length;
    this.#leftEnd.push(leftEnd);
    this.#rightEnd.push(rightEnd);
    this.#lowest.push(leftEnd);
    this.#intervals.insertAfter(previous, interval);
    return interval;
  }

  #setEdges(interval: number, leftEdge: number, rightEdge: number): void {
    this.#leftEdge[interval] = leftEdge;
    this.#rightEdge[interval] = rightEdge;
    this.#intervalOf[leftEdge] = interval;
    this.#intervalOf[rightEdge] = interval;
  }

  #addNode(corner: number): number {
    this.#previous.push(NONE);
    this.#next.push(NONE);
    return this.#cornerOf.push(corner) - 1;
  }

  #link(node: number, next: number): void {
    this.#next[node] = next;
    this.#previous[next] = node;
  }

  /** Triangulates the range of the chain that a corner sees from the left end, and makes it the left end. */
  #addToLeftEnd(interval: number, corner: number): void {
    let end = this.#leftEnd[interval];
    for (let inner = this.#next[end]; inner !== NONE; inner = this.#next[end]) {
      if (!this.#tryAddTriangle(this.#cornerOf[end], corner, this.#cornerOf[inner])) break;
      end = inner;
    }
    const node = this.#addNode(corner);
    this.#link(node, end);
    this.#leftEnd[interval] = node;
    this.#lowest[interval] = node;
  }

  /** As `#addToLeftEnd`, from the right end. */
  #addToRightEnd(interval: number, corner: number): void {
    let end = this.#rightEnd[interval];
    for (let inner = this.#previous[end]; inner !== NONE; inner = this.#previous[end]) {
      if (!this.#tryAddTriangle(corner, this.#cornerOf[end], this.#cornerOf[inner])) break;
      end = inner;
    }
    const node = this.#addNode(corner);
    this.#link(end, node);
    this.#rightEnd[interval] = node;
    this.#lowest[interval] = node;
  }

  /** Adds a triangle if it is counterclockwise. Returns whether it is. */
  #tryAddTriangle(a: number, b: number, c: number): boolean {
    if (orient2dSign(this.#xy, a, b, c) <= 0) return false;
    this.triangles.push(a, b, c);
    return true;
  }
}
