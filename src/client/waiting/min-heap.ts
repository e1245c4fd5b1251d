/**
 * A binary heap (J. W. J. Williams 1964): `pop` returns the item with the smallest key. The key of an item must not
 * change while the item is in the heap. `push` and `pop` take O(log n), `peek` O(1).
 */
export class MinHeap<T> {
  readonly #keyOf: (item: T) => number;
  /** Heap index → item. The children of index i are at 2i + 1 and 2i + 2. */
  #items: T[] = [];

  constructor(keyOf: (item: T) => number) {
    this.#keyOf = keyOf;
  }

  get size(): number {
    return this.#items.length;
  }

  /** Returns the first item without removing it, or `undefined` if the heap is empty. */
  peek(): T | undefined {
    return this.#items[0];
  }

  push(item: T): void {
    const items = this.#items;
    let index = items.length;
    items.push(item);
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (this.#key(parent) <= this.#keyOf(item)) break;
      this.#swap(index, parent);
      index = parent;
    }
  }

  /** Removes and returns the first item, or returns `undefined` if the heap is empty. */
  pop(): T | undefined {
    const items = this.#items;
    const first = items[0];
    const last = items.pop();
    if (last === undefined || items.length === 0) return first;
    items[0] = last;
    this.#siftDown();
    return first;
  }

  clear(): void {
    this.#items = [];
  }

  #siftDown(): void {
    let index = 0;
    for (;;) {
      const leftChild = 2 * index + 1;
      const child = this.#key(leftChild + 1) < this.#key(leftChild) ? leftChild + 1 : leftChild;
      if (this.#key(child) >= this.#key(index)) return;
      this.#swap(index, child);
      index = child;
    }
  }

  /**
   * Returns the key of the item at `index`: infinity beyond the end, so that a missing child is never the smaller one.
   */
  #key(index: number): number {
    const item = this.#items[index];
    return item === undefined ? Number.POSITIVE_INFINITY : this.#keyOf(item);
  }

  #swap(a: number, b: number): void {
    const items = this.#items;
    // Both items exist: callers have compared their keys, and a missing item is never smaller.
    [items[a], items[b]] = [items[b] as T, items[a] as T];
  }
}
