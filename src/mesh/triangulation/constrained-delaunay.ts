import { isInCircle, orient2dSign } from '../geometry/predicates.js';
import { nextOf, previousOf } from '../topology/half-edge.js';

/** Where a half-edge lies on the border. */
export const NO_TWIN = -1;

/**
 * A triangulation of one triangle in the plane that grows point by point and stays Delaunay as far as its fixed edges allow.
 *
 * Points of the border are put in by splitting its sides, whatever rounding has made of their coordinates; no triangle ever has all its
 * corners on one side. Inner points are located by exact predicates. Points are numbers into `xy`; 0, 1, 2 are the corners, counter-clockwise.
 */
export class ConstrainedDelaunay {
  readonly xy: readonly number[];
  /** half-edge → the point it leaves */
  readonly originOf: number[] = [0, 1, 2];
  /** half-edge → the one the other way, or `NO_TWIN` */
  readonly twinOf: number[] = [NO_TWIN, NO_TWIN, NO_TWIN];
  /** point → some half-edge that leaves it */
  readonly #leaving: number[] = [0, 1, 2];
  /** point → bits of the sides it lies on */
  readonly #sides: number[] = [0b101, 0b011, 0b110];
  readonly #fixed = new Set<number>();
  readonly #pointCount: number;
  #last = 0;

  constructor(xy: readonly number[]) {
    this.xy = xy;
    this.#pointCount = xy.length / 2;
  }

  /** Splits a side (0: from corner 0 to 1, ...) at points that lie on it, in order. Before any inner point. */
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

  /** Puts a point inside. False where it lies on the border, or where another is. */
  insert(point: number): boolean {
    const location = this.#locate(point);
    if (location === undefined) return false;
    this.#sides[point] = 0;
    const around =
      location.on === undefined ? this.#splitTriangle(location.h, point) : this.#splitEdge(location.on, point);
    if (around === undefined) return false;
    this.legalize(around);
    return true;
  }

  /** Half-edges that leave a point, all round it. */
  outgoing(point: number): number[] {
    const first = this.#leaving[point];
    const match = [first];
    let h = this.twinOf[previousOf(first)];
    for (; h !== NO_TWIN && h !== first; h = this.twinOf[previousOf(h)]) match.push(h);
    if (h === first) return match;
    for (h = this.twinOf[first]; h !== NO_TWIN; h = this.twinOf[h]) {
      h = nextOf(h);
      match.push(h);
    }
    return match;
  }

  /** The half-edge from one point to another, if there is one. */
  find(from: number, to: number): number | undefined {
    return this.outgoing(from).find((h) => this.originOf[nextOf(h)] === to);
  }

  /** Marks an edge as one that is never flipped. */
  constrain(a: number, b: number): void {
    this.#fixed.add(Math.min(a, b) * this.#pointCount + Math.max(a, b));
  }

  isConstrained(h: number): boolean {
    const [a, b] = [this.originOf[h], this.originOf[nextOf(h)]];
    return this.#fixed.has(Math.min(a, b) * this.#pointCount + Math.max(a, b));
  }

  /** Whether the other diagonal of the two triangles at an inner edge lies within them, and makes no triangle of one side's points. */
  canFlip(h: number): boolean {
    const twinOf = this.twinOf[h];
    if (twinOf === NO_TWIN) return false;
    const [a, b, c] = [this.originOf[h], this.originOf[nextOf(h)], this.originOf[previousOf(h)]];
    const d = this.originOf[previousOf(twinOf)];
    const sides = this.#sides;
    if ((sides[a] & sides[c] & sides[d]) !== 0 || (sides[b] & sides[c] & sides[d]) !== 0) return false;
    return orient2dSign(this.xy, d, c, a) > 0 && orient2dSign(this.xy, c, d, b) > 0;
  }

  /** Puts the other diagonal in the place of an inner edge; `h` and its twin are its half-edges afterwards. */
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

  /** Flips these edges, and those next to what was flipped, until they are Delaunay. */
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

  #lastSideHalfEdge(point: number, side: number): number {
    // Sides are split in turn: the last half-edge of a side is still the one whose ends both lie on it.
    const h = this.outgoing(point)
      .map(previousOf)
      .find((x) => this.#isOnSide(x, side));
    return h ?? 0; // there always is one
  }

  #isOnSide(h: number, side: number): boolean {
    const bit = 1 << side;
    const isBorder = this.twinOf[h] === NO_TWIN;
    return isBorder && (this.#sides[this.originOf[h]] & this.#sides[this.originOf[nextOf(h)]] & bit) !== 0;
  }

  #locate(point: number): { h: number; on: number | undefined } | undefined {
    let h = this.#last;
    for (let steps = 0; steps <= this.originOf.length; steps++) {
      const first = h - (h % 3);
      const turns = [0, 1, 2].map((k) =>
        orient2dSign(this.xy, this.originOf[first + k], this.originOf[nextOf(first + k)], point),
      );
      const out = turns.findIndex((turn) => turn < 0);
      if (out < 0) {
        this.#last = first;
        const on = turns.flatMap((turn, k) => (turn === 0 ? [first + k] : []));
        return on.length > 1 ? undefined : { h: first, on: on[0] };
      }
      h = this.twinOf[first + out];
      if (h === NO_TWIN) return undefined;
    }
    return undefined;
  }

  /** The half-edges across from the new point. */
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

  /** A new triangle, its sides not joined to anything; its first half-edge. */
  #add(a: number, b: number, c: number): number {
    const first = this.originOf.push(a, b, c) - 3;
    this.twinOf.push(NO_TWIN, NO_TWIN, NO_TWIN);
    return first;
  }

  #linkTwins(a: number, b: number): void {
    this.twinOf[a] = b;
    if (b !== NO_TWIN) this.twinOf[b] = a;
  }

  /** Notes for the corners of a half-edge's triangle that its half-edges leave them. */
  #updateOutgoing(h: number): void {
    for (const x of [h, nextOf(h), previousOf(h)]) this.#leaving[this.originOf[x]] = x;
  }
}
