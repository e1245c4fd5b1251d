/** Sets that only ever join (union-find with path halving). Elements are 0 .. count - 1, each alone at first. */
export class DisjointSets {
  readonly #parent: Uint32Array;

  constructor(count: number) {
    this.#parent = new Uint32Array(count);
    for (let i = 0; i < count; i++) this.#parent[i] = i;
  }

  /** The element that stands for the set of this one: its smallest. */
  find(element: number): number {
    const parent = this.#parent;
    let offset = element;
    while (parent[offset] !== offset) {
      parent[offset] = parent[parent[offset]];
      offset = parent[offset];
    }
    return offset;
  }

  /** Makes one set of the sets of two elements. */
  union(a: number, b: number): void {
    const x = this.find(a);
    const y = this.find(b);
    if (x < y) this.#parent[y] = x;
    else this.#parent[x] = y;
  }
}
