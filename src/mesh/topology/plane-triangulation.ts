import { isInCircle, orient2dSign } from '../spatial/predicates.js';
import { nextOf, previousOf } from './half-edge.js';

/** Where a half-edge lies on the border. */
export const NO_NEIGHBOUR = -1;

/**
 * A triangulation of one triangle in the plane that grows point by point and stays Delaunay as far as its fixed edges allow.
 *
 * Points of the border are put in by splitting its sides, whatever rounding has made of their coordinates; no triangle ever has all its
 * corners on one side. Inner points are located by exact predicates. Points are numbers into `xy`; 0, 1, 2 are the corners, counter-clockwise.
 */
export class PlaneTriangulation {
  readonly xy: readonly number[];
  /** half-edge → the point it leaves */
  readonly corner: number[] = [0, 1, 2];
  /** half-edge → the one the other way, or `NO_NEIGHBOUR` */
  readonly twin: number[] = [NO_NEIGHBOUR, NO_NEIGHBOUR, NO_NEIGHBOUR];
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
    let h = this.#borderInto(end, side);
    for (const point of points) {
      const next = nextOf(h);
      const n = this.#add(point, this.corner[next], this.corner[previousOf(h)]);
      this.#join(n + 1, this.twin[next]);
      this.corner[next] = point;
      this.#join(next, n + 2);
      this.#sides[point] = 1 << side;
      this.#touch(n);
      this.#touch(h);
      h = n;
    }
  }

  /** Puts a point inside. False where it lies on the border, or where another is. */
  insert(point: number): boolean {
    const found = this.#locate(point);
    if (found === undefined) return false;
    this.#sides[point] = 0;
    const around = found.on === undefined ? this.#splitTriangle(found.h, point) : this.#splitEdge(found.on, point);
    if (around === undefined) return false;
    this.legalize(around);
    return true;
  }

  /** Half-edges that leave a point, all round it. */
  leaving(point: number): number[] {
    const first = this.#leaving[point];
    const found = [first];
    let h = this.twin[previousOf(first)];
    for (; h !== NO_NEIGHBOUR && h !== first; h = this.twin[previousOf(h)]) found.push(h);
    if (h === first) return found;
    for (h = this.twin[first]; h !== NO_NEIGHBOUR; h = this.twin[h]) {
      h = nextOf(h);
      found.push(h);
    }
    return found;
  }

  /** The half-edge from one point to another, if there is one. */
  find(from: number, to: number): number | undefined {
    return this.leaving(from).find((h) => this.corner[nextOf(h)] === to);
  }

  /** Marks an edge as one that is never flipped. */
  fix(a: number, b: number): void {
    this.#fixed.add(Math.min(a, b) * this.#pointCount + Math.max(a, b));
  }

  isFixed(h: number): boolean {
    const [a, b] = [this.corner[h], this.corner[nextOf(h)]];
    return this.#fixed.has(Math.min(a, b) * this.#pointCount + Math.max(a, b));
  }

  /** Whether the other diagonal of the two triangles at an inner edge lies within them, and makes no triangle of one side's points. */
  canFlip(h: number): boolean {
    const twin = this.twin[h];
    if (twin === NO_NEIGHBOUR) return false;
    const [a, b, c] = [this.corner[h], this.corner[nextOf(h)], this.corner[previousOf(h)]];
    const d = this.corner[previousOf(twin)];
    const sides = this.#sides;
    if ((sides[a] & sides[c] & sides[d]) !== 0 || (sides[b] & sides[c] & sides[d]) !== 0) return false;
    return orient2dSign(this.xy, d, c, a) > 0 && orient2dSign(this.xy, c, d, b) > 0;
  }

  /** Puts the other diagonal in the place of an inner edge; `h` and its twin are its half-edges afterwards. */
  flip(h: number): void {
    const { corner, twin } = this;
    const t = twin[h];
    const [hn, hp, tn, tp] = [nextOf(h), previousOf(h), nextOf(t), previousOf(t)];
    const [a, b, c, d] = [corner[h], corner[t], corner[hp], corner[tp]];
    const [bc, ca, ad, db] = [twin[hn], twin[hp], twin[tn], twin[tp]];
    [corner[h], corner[hn], corner[hp]] = [d, c, a];
    [corner[t], corner[tn], corner[tp]] = [c, d, b];
    this.#join(hn, ca);
    this.#join(hp, ad);
    this.#join(tn, db);
    this.#join(tp, bc);
    this.#touch(h);
    this.#touch(t);
  }

  /** Flips these edges, and those next to what was flipped, until they are Delaunay. */
  legalize(halfEdges: readonly number[]): void {
    const stack = [...halfEdges];
    for (let h = stack.pop(); h !== undefined; h = stack.pop()) {
      const t = this.twin[h];
      if (t === NO_NEIGHBOUR || this.isFixed(h)) continue;
      const [a, b, c, d] = [h, nextOf(h), previousOf(h), previousOf(t)].map((x) => this.corner[x]);
      if (!isInCircle(this.xy, a, b, c, d) || !this.canFlip(h)) continue;
      this.flip(h);
      stack.push(nextOf(h), previousOf(h), nextOf(t), previousOf(t));
    }
  }

  #borderInto(point: number, side: number): number {
    // Sides are split in turn: the last half-edge of a side is still the one whose ends both lie on it.
    const h = this.leaving(point)
      .map(previousOf)
      .find((x) => this.#isOnSide(x, side));
    return h ?? 0; // there always is one
  }

  #isOnSide(h: number, side: number): boolean {
    const bit = 1 << side;
    const isBorder = this.twin[h] === NO_NEIGHBOUR;
    return isBorder && (this.#sides[this.corner[h]] & this.#sides[this.corner[nextOf(h)]] & bit) !== 0;
  }

  #locate(point: number): { h: number; on: number | undefined } | undefined {
    let h = this.#last;
    for (let steps = 0; steps <= this.corner.length; steps++) {
      const first = h - (h % 3);
      const turns = [0, 1, 2].map((k) =>
        orient2dSign(this.xy, this.corner[first + k], this.corner[nextOf(first + k)], point),
      );
      const out = turns.findIndex((turn) => turn < 0);
      if (out < 0) {
        this.#last = first;
        const on = turns.flatMap((turn, k) => (turn === 0 ? [first + k] : []));
        return on.length > 1 ? undefined : { h: first, on: on[0] };
      }
      h = this.twin[first + out];
      if (h === NO_NEIGHBOUR) return undefined;
    }
    return undefined;
  }

  /** The half-edges across from the new point. */
  #splitTriangle(first: number, point: number): number[] {
    const { corner, twin } = this;
    const [b, c] = [corner[first + 1], corner[first + 2]];
    const a = corner[first];
    const n = this.#add(b, c, point);
    const m = this.#add(c, a, point);
    this.#join(n, twin[first + 1]);
    this.#join(m, twin[first + 2]);
    corner[first + 2] = point;
    this.#join(first + 1, n + 2);
    this.#join(n + 1, m + 2);
    this.#join(m + 1, first + 2);
    for (const h of [first, n, m]) this.#touch(h);
    return [first, n, m];
  }

  #splitEdge(h: number, point: number): number[] | undefined {
    const { corner, twin } = this;
    const t = twin[h];
    if (t === NO_NEIGHBOUR || this.isFixed(h)) return undefined;
    const [b, c] = [corner[nextOf(h)], corner[previousOf(h)]];
    const [a, d] = [corner[nextOf(t)], corner[previousOf(t)]];
    const n = this.#add(point, b, c);
    const m = this.#add(point, a, d);
    this.#join(n + 1, twin[nextOf(h)]);
    this.#join(m + 1, twin[nextOf(t)]);
    corner[nextOf(h)] = point;
    corner[nextOf(t)] = point;
    this.#join(nextOf(h), n + 2);
    this.#join(nextOf(t), m + 2);
    this.#join(h, m);
    this.#join(t, n);
    for (const x of [h, t, n, m]) this.#touch(x);
    return [previousOf(h), previousOf(t), n + 1, m + 1];
  }

  /** A new triangle, its sides not joined to anything; its first half-edge. */
  #add(a: number, b: number, c: number): number {
    const first = this.corner.push(a, b, c) - 3;
    this.twin.push(NO_NEIGHBOUR, NO_NEIGHBOUR, NO_NEIGHBOUR);
    return first;
  }

  #join(a: number, b: number): void {
    this.twin[a] = b;
    if (b !== NO_NEIGHBOUR) this.twin[b] = a;
  }

  /** Notes for the corners of a half-edge's triangle that its half-edges leave them. */
  #touch(h: number): void {
    for (const x of [h, nextOf(h), previousOf(h)]) this.#leaving[this.corner[x]] = x;
  }
}
