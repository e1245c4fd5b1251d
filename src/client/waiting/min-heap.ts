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
    let at = items.length;
    items.push(item);
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (this.#key(above) <= this.#keyOf(item)) break;
      this.#swap(at, above);
      at = above;
    }
  }

  pop(): T | undefined {
    const items = this.#items;
    const first = items[0];
    const last = items.pop();
    if (last === undefined || items.length === 0) return first;
    items[0] = last;
    this.#sink();
    return first;
  }

  clear(): void {
    this.#items = [];
  }

  #sink(): void {
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      const smaller = this.#key(left + 1) < this.#key(left) ? left + 1 : left;
      if (this.#key(smaller) >= this.#key(at)) return;
      this.#swap(at, smaller);
      at = smaller;
    }
  }

  /** Infinity beyond the end, so that a missing child never comes first. */
  #key(at: number): number {
    const item = this.#items[at];
    return item === undefined ? Number.POSITIVE_INFINITY : this.#keyOf(item);
  }

  #swap(a: number, b: number): void {
    const items = this.#items;
    // Both places exist: callers compare their keys first, and a missing one is never smaller.
    [items[a], items[b]] = [items[b] as T, items[a] as T];
  }
}
