/** A binary heap: the item with the smallest key comes first. Keys must not change while an item is in it. */
export class MinHeap<T> {
  readonly #keyOf: (item: T) => number;
  #items: T[] = [];

  constructor(keyOf: (item: T) => number) {
    this.#keyOf = keyOf;
  }

  get size(): number {
    return this.#items.length;
  }

  peek(): T | undefined {
    return this.#items[0];
  }

  push(item: T): void {
    const items = this.#items;
    let index = items.length;
    items.push(item);
    while (index > 0) {
      const above = (index - 1) >> 1;
      if (this.#key(above) <= this.#keyOf(item)) break;
      this.#swap(index, above);
      index = above;
    }
  }

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
      const remaining = 2 * index + 1;
      const smaller = this.#key(remaining + 1) < this.#key(remaining) ? remaining + 1 : remaining;
      if (this.#key(smaller) >= this.#key(index)) return;
      this.#swap(index, smaller);
      index = smaller;
    }
  }

  /** Infinity beyond the end, so that a missing child never comes first. */
  #key(index: number): number {
    const item = this.#items[index];
    return item === undefined ? Number.POSITIVE_INFINITY : this.#keyOf(item);
  }

  #swap(a: number, b: number): void {
    const items = this.#items;
    // Both places exist: callers compare their keys first, and a missing one is never smaller.
    [items[a], items[b]] = [items[b] as T, items[a] as T];
  }
}
