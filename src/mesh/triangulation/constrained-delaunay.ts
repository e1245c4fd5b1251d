import { pairKey } from '../core/pair-key.js';
import { isInCircle, orient2dSign } from '../geometry/predicates.js';
import { NO_TWIN } from '../topology/edges.js';
import { nextOf, previousOf } from '../topology/half-edge.js';

/**
 * An incremental constrained Delaunay triangulation of a triangle in the plane (Lawson 1977 for points, Sloan 1993 for
 * constraints).
 *
 * Points are indices into `xy`. Points 0, 1 and 2 are the corners of the triangle, counterclockwise. Points on a side
 * are inserted by splitting the side, regardless of the rounding of their coordinates; no triangle ever has all corners
 * on one side. Interior points are located by exact predicates.
 */
export class ConstrainedDelaunay {
  /** point → x, y */
  readonly xy: readonly number[];
  /** half-edge → the point it leaves */
  readonly originOf: number[] = [0, 1, 2];
  /** half-edge → the opposite half-edge, or `NO_TWIN` */
  readonly twinOf: number[] = [NO_TWIN, NO_TWIN, NO_TWIN];
  /** point → a half-edge that leaves it */
  readonly #outgoingOf: number[] = [0, 1, 2];
  /** point → bit mask of the sides that it lies on */
  readonly #sides: number[] = [0b101, 0b011, 0b110];
  /** keys of the constrained edges */
  readonly #constraints = new Set<number>();
  readonly #pointCount: number;
  /** The half-edge at which the next search for a point starts. */
  #last = 0;

  /** @param xy point → x, y of all points, including those to be inserted */
  constructor(xy: readonly number[]) {
    this.xy = xy;
    this.#pointCount = xy.length / 2;
  }

  /** Splits a side (0: from corner 0 to 1, …) at points on it, in order. Call before inserting interior points. */
  splitSide(side: number, points: readonly number[]): void {
    const end = (side + 1) % 3;
    let h = this.#lastSideHalfEdge(end, side);
    for (const point of points) {
      const next = nextOf(h);
      const n = this.#add(point, this.originOf[next], this.originOf[previousOf(h)]);
      this.#linkTwins(n + 1, this.twinOf[next]);
      this.originOf[next] = point;
      this.#linkTwins(next, n + 2);
      this.#sides[point] = 1 << side;
      this.#updateOutgoing(n);
      this.#updateOutgoing(h);
      h = n;
    }
  }

  /** Inserts an interior point. Returns false if it is on the boundary, outside, or equal to another point. */
  insert(point: number): boolean {
    const location = this.#locate(point);
    if (location === undefined) return false;
    this.#sides[point] = 0;
    const outerEdges =
      location.on === undefined ? this.#splitTriangle(location.h, point) : this.#splitEdge(location.on, point);
    if (outerEdges === undefined) return false;
    this.legalize(outerEdges);
    return true;
  }

  /** Returns all half-edges that leave a point. */
  outgoing(point: number): number[] {
    const first = this.#outgoingOf[point];
    const result = [first];
    let h = this.twinOf[previousOf(first)];
    for (; h !== NO_TWIN && h !== first; h = this.twinOf[previousOf(h)]) result.push(h);
    if (h === first) return result;
    for (h = this.twinOf[first]; h !== NO_TWIN; h = this.twinOf[h]) {
      h = nextOf(h);
      result.push(h);
    }
    return result;
  }

  /** Finds the half-edge from one point to another. */
  find(from: number, to: number): number | undefined {
    return this.outgoing(from).find((h) => this.originOf[nextOf(h)] === to);
  }

  /** Constrains an edge: `legalize` does not flip it. */
  constrain(a: number, b: number): void {
    this.#constraints.add(pairKey(a, b, this.#pointCount));
  }

  /** Returns whether the edge of a half-edge is constrained. */
  isConstrained(h: number): boolean {
    return this.#constraints.has(pairKey(this.originOf[h], this.originOf[nextOf(h)], this.#pointCount));
  }

  /**
   * Returns whether the edge of `h` can be flipped: the two triangles at it form a strictly convex quadrilateral, and
   * neither new triangle has all corners on one side.
   */
  canFlip(h: number): boolean {
    const twinOf = this.twinOf[h];
    if (twinOf === NO_TWIN) return false;
    const [a, b, c] = [this.originOf[h], this.originOf[nextOf(h)], this.originOf[previousOf(h)]];
    const d = this.originOf[previousOf(twinOf)];
    const sides = this.#sides;
    if ((sides[a] & sides[c] & sides[d]) !== 0 || (sides[b] & sides[c] & sides[d]) !== 0) return false;
    return orient2dSign(this.xy, d, c, a) > 0 && orient2dSign(this.xy, c, d, b) > 0;
  }

  /**
   * Flips an interior edge to the other diagonal of its two triangles. `h` and its twin are the half-edges of the new
   * edge.
   */
  flip(h: number): void {
    const { originOf, twinOf } = this;
    const t = twinOf[h];
    const [hn, hp, tn, tp] = [nextOf(h), previousOf(h), nextOf(t), previousOf(t)];
    const [a, b, c, d] = [originOf[h], originOf[t], originOf[hp], originOf[tp]];
    const [bc, ca, ad, db] = [twinOf[hn], twinOf[hp], twinOf[tn], twinOf[tp]];
    [originOf[h], originOf[hn], originOf[hp]] = [d, c, a];
    [originOf[t], originOf[tn], originOf[tp]] = [c, d, b];
    this.#linkTwins(hn, ca);
    this.#linkTwins(hp, ad);
    this.#linkTwins(tn, db);
    this.#linkTwins(tp, bc);
    this.#updateOutgoing(h);
    this.#updateOutgoing(t);
  }

  /** Flips these edges, and the edges around each flip, until all are Delaunay or constrained (Lawson 1977). */
  legalize(halfEdges: readonly number[]): void {
    const stack = [...halfEdges];
    for (let h = stack.pop(); h !== undefined; h = stack.pop()) {
      const t = this.twinOf[h];
      if (t === NO_TWIN || this.isConstrained(h)) continue;
      const [a, b, c, d] = [h, nextOf(h), previousOf(h), previousOf(t)].map((x) => this.originOf[x]);
      if (!isInCircle(this.xy, a, b, c, d) || !this.canFlip(h)) continue;
      this.flip(h);
      stack.push(nextOf(h), previousOf(h), nextOf(t), previousOf(t));
    }
  }

  /** Finds the half-edge of an unsplit side, which ends at the corner `point`. */
  #lastSideHalfEdge(point: number, side: number): number {
    // The half-edge of an unsplit side is the boundary half-edge whose ends are both on it.
    const h = this.outgoing(point)
      .map(previousOf)
      .find((x) => this.#isOnSide(x, side));
    return h ?? 0; // always found
  }

  #isOnSide(h: number, side: number): boolean {
    const bit = 1 << side;
    const isBoundary = this.twinOf[h] === NO_TWIN;
    return isBoundary && (this.#sides[this.originOf[h]] & this.#sides[this.originOf[nextOf(h)]] & bit) !== 0;
  }

  /**
   * Locates a point by walking from triangle to triangle. Returns the first half-edge of the triangle and the half-edge
   * that the point is `on`, if any; `undefined` if the point is outside or equal to another point.
   */
  #locate(point: number): { h: number; on: number | undefined } | undefined {
    let h = this.#last;
    for (let steps = 0; steps <= this.originOf.length; steps++) {
      const first = h - (h % 3);
      const orientations = [0, 1, 2].map((k) =>
        orient2dSign(this.xy, this.originOf[first + k], this.originOf[nextOf(first + k)], point),
      );
      const exit = orientations.findIndex((orientation) => orientation < 0);
      if (exit < 0) {
        this.#last = first;
        const on = orientations.flatMap((orientation, k) => (orientation === 0 ? [first + k] : []));
        return on.length > 1 ? undefined : { h: first, on: on[0] };
      }
      h = this.twinOf[first + exit];
      if (h === NO_TWIN) return undefined;
    }
    return undefined;
  }

  /** Splits a triangle into three. Returns the half-edges opposite to the new point. */
  #splitTriangle(first: number, point: number): number[] {
    const { originOf, twinOf } = this;
    const [b, c] = [originOf[first + 1], originOf[first + 2]];
    const a = originOf[first];
    const n = this.#add(b, c, point);
    const m = this.#add(c, a, point);
    this.#linkTwins(n, twinOf[first + 1]);
    this.#linkTwins(m, twinOf[first + 2]);
    originOf[first + 2] = point;
    this.#linkTwins(first + 1, n + 2);
    this.#linkTwins(n + 1, m + 2);
    this.#linkTwins(m + 1, first + 2);
    for (const h of [first, n, m]) this.#updateOutgoing(h);
    return [first, n, m];
  }

  /** Splits both triangles at an edge. Returns the half-edges opposite to the new point; `undefined` if not allowed. */
  #splitEdge(h: number, point: number): number[] | undefined {
    const { originOf, twinOf } = this;
    const t = twinOf[h];
    if (t === NO_TWIN || this.isConstrained(h)) return undefined;
    const [b, c] = [originOf[nextOf(h)], originOf[previousOf(h)]];
    const [a, d] = [originOf[nextOf(t)], originOf[previousOf(t)]];
    const n = this.#add(point, b, c);
    const m = this.#add(point, a, d);
    this.#linkTwins(n + 1, twinOf[nextOf(h)]);
    this.#linkTwins(m + 1, twinOf[nextOf(t)]);
    originOf[nextOf(h)] = point;
    originOf[nextOf(t)] = point;
    this.#linkTwins(nextOf(h), n + 2);
    this.#linkTwins(nextOf(t), m + 2);
    this.#linkTwins(h, m);
    this.#linkTwins(t, n);
    for (const x of [h, t, n, m]) this.#updateOutgoing(x);
    return [previousOf(h), previousOf(t), n + 1, m + 1];
  }

  /** Adds a triangle without twins. Returns its first half-edge. */
  #add(a: number, b: number, c: number): number {
    const first = this.originOf.push(a, b, c) - 3;
    this.twinOf.push(NO_TWIN, NO_TWIN, NO_TWIN);
    return first;
  }

  #linkTwins(a: number, b: number): void {
    this.twinOf[a] = b;
    if (b !== NO_TWIN) this.twinOf[b] = a;
  }

  /** Updates the outgoing half-edges of the corners of a half-edge's triangle. */
  #updateOutgoing(h: number): void {
    for (const x of [h, nextOf(h), previousOf(h)]) this.#outgoingOf[this.originOf[x]] = x;
  }
}
