import { createPrng } from '../core/prng.js';

const NONE = -1;

/**
 * An ordered set of intervals, which are numbered from 0: a treap (Seidel and Aragon 1996), so that insertions, removals
 * and searches take expected logarithmic time. Each interval is inserted at most once.
 */
export class IntervalTree {
  readonly #parent: Int32Array;
  /** interval → the roots of the subtrees before and after it */
  readonly #before: Int32Array;
  readonly #after: Int32Array;
  readonly #priority: Float64Array;
  readonly #nextPriority = createPrng(1);
  #root = NONE;

  /** @param capacity the largest number of intervals */
  constructor(capacity: number) {
    this.#parent = new Int32Array(capacity).fill(NONE);
    this.#before = new Int32Array(capacity).fill(NONE);
    this.#after = new Int32Array(capacity).fill(NONE);
    this.#priority = new Float64Array(capacity);
  }

  /** Returns the last interval for which `isBefore` holds, or -1. It must hold for a range at the start. */
  findLast(isBefore: (interval: number) => boolean): number {
    let match = NONE;
    for (let node = this.#root; node !== NONE; ) {
      const matches = isBefore(node);
      if (matches) match = node;
      node = matches ? this.#after[node] : this.#before[node];
    }
    return match;
  }

  /** Inserts `interval` directly after `previous`; -1 for the start. */
  insertAfter(previous: number, interval: number): void {
    this.#priority[interval] = this.#nextPriority();
    if (this.#root === NONE) {
      this.#root = interval;
      return;
    }
    let parent = previous;
    let isAfter = true;
    if (previous === NONE || this.#after[previous] !== NONE) {
      isAfter = false;
      parent = previous === NONE ? this.#root : this.#after[previous];
      while (this.#before[parent] !== NONE) parent = this.#before[parent];
    }
    (isAfter ? this.#after : this.#before)[parent] = interval;
    this.#parent[interval] = parent;
    while (this.#parent[interval] !== NONE && this.#priority[interval] > this.#priority[this.#parent[interval]])
      this.#rotateUp(interval);
  }

  /** Removes an interval. */
  remove(interval: number): void {
    for (;;) {
      const before = this.#before[interval];
      const after = this.#after[interval];
      if (before === NONE && after === NONE) break;
      const isBeforeHigher = after === NONE || (before !== NONE && this.#priority[before] > this.#priority[after]);
      this.#rotateUp(isBeforeHigher ? before : after);
    }
    this.#replaceChild(this.#parent[interval], interval, NONE);
    this.#parent[interval] = NONE;
  }

  /** Swaps a node with its parent, keeping the order. */
  #rotateUp(node: number): void {
    const parent = this.#parent[node];
    const [near, far] = this.#before[parent] === node ? [this.#after, this.#before] : [this.#before, this.#after];
    const moved = near[node];
    far[parent] = moved;
    if (moved !== NONE) this.#parent[moved] = parent;
    this.#replaceChild(this.#parent[parent], parent, node);
    near[node] = parent;
    this.#parent[node] = this.#parent[parent];
    this.#parent[parent] = node;
  }

  #replaceChild(parent: number, child: number, replacement: number): void {
    if (parent === NONE) this.#root = replacement;
    else if (this.#before[parent] === child) this.#before[parent] = replacement;
    else this.#after[parent] = replacement;
  }
}
