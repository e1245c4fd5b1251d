/**
 * A partition of the elements 0 … count - 1 into disjoint sets, each a single element at first (union-find with path
 * halving, Tarjan and van Leeuwen 1984).
 */
export class DisjointSets {
  /** element → parent; a root is its own parent and the smallest element of its set */
  readonly #parent: Uint32Array;

  constructor(count: number) {
    this.#parent = new Uint32Array(count);
    for (let i = 0; i < count; i++) this.#parent[i] = i;
  }

  /** Returns the representative of the set that contains `element`: its smallest element. */
  find(element: number): number {
    const parent = this.#parent;
    let root = element;
    while (parent[root] !== root) {
      parent[root] = parent[parent[root]];
      root = parent[root];
    }
    return root;
  }

  /** Unites the sets that contain `a` and `b`. */
  union(a: number, b: number): void {
    const x = this.find(a);
    const y = this.find(b);
    if (x < y) this.#parent[y] = x;
    else this.#parent[x] = y;
  }
}
