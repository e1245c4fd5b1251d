const ABSENT = -1;

/**
 * An indexed binary heap of vertices by cost, the cheapest first. Contains each vertex at most once. Of equal costs,
 * the lower index comes first. All changes take O(log n).
 */
export class VertexHeap {
  /** index in the heap → vertex */
  readonly #heap: Int32Array;
  /** vertex → its index in the heap, or `ABSENT` */
  readonly #positions: Int32Array;
  /** vertex → its cost */
  readonly #costs: Float64Array;
  #count = 0;

  constructor(vertexCount: number) {
    this.#heap = new Int32Array(vertexCount);
    this.#positions = new Int32Array(vertexCount).fill(ABSENT);
    this.#costs = new Float64Array(vertexCount);
  }

  /** Adds a vertex, or changes its cost. */
  set(vertex: number, cost: number): void {
    this.#costs[vertex] = cost;
    if (this.#positions[vertex] === ABSENT) this.#put(vertex, this.#count++);
    this.#siftDown(this.#siftUp(this.#positions[vertex]));
  }

  /** Removes a vertex, if the heap contains it. */
  delete(vertex: number): void {
    const index = this.#positions[vertex];
    if (index === ABSENT) return;
    this.#positions[vertex] = ABSENT;
    const last = this.#heap[--this.#count];
    if (last === vertex) return;
    this.#put(last, index);
    this.#siftDown(this.#siftUp(index));
  }

  /** Removes and returns the cheapest vertex, or `undefined` if the heap is empty. */
  pop(): number | undefined {
    if (this.#count === 0) return undefined;
    const vertex = this.#heap[0];
    this.delete(vertex);
    return vertex;
  }

  #isBefore(a: number, b: number): boolean {
    const difference = this.#costs[a] - this.#costs[b];
    return difference < 0 || (difference === 0 && a < b);
  }

  #put(vertex: number, index: number): void {
    this.#heap[index] = vertex;
    this.#positions[vertex] = index;
  }

  #siftUp(from: number): number {
    const vertex = this.#heap[from];
    let index = from;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.#isBefore(vertex, this.#heap[parent])) break;
      this.#put(this.#heap[parent], index);
      index = parent;
    }
    this.#put(vertex, index);
    return index;
  }

  #siftDown(from: number): void {
    const vertex = this.#heap[from];
    let index = from;
    for (;;) {
      let child = index * 2 + 1;
      if (child >= this.#count) break;
      if (child + 1 < this.#count && this.#isBefore(this.#heap[child + 1], this.#heap[child])) child++;
      if (!this.#isBefore(this.#heap[child], vertex)) break;
      this.#put(this.#heap[child], index);
      index = child;
    }
    this.#put(vertex, index);
  }
}
