const ABSENT = -1;

/** Vertices by their cost, the cheapest first; each stands in it at most once. Of equal ones the lower number comes first. */
export class VertexHeap {
  readonly #heap: Int32Array;
  /** vertex → its place in the heap */
  readonly #places: Int32Array;
  readonly #costs: Float64Array;
  #count = 0;

  constructor(vertexCount: number) {
    this.#heap = new Int32Array(vertexCount);
    this.#places = new Int32Array(vertexCount).fill(ABSENT);
    this.#costs = new Float64Array(vertexCount);
  }

  /** Puts a vertex in, or changes its cost. */
  set(vertex: number, cost: number): void {
    this.#costs[vertex] = cost;
    if (this.#places[vertex] === ABSENT) this.#put(vertex, this.#count++);
    this.#sink(this.#rise(this.#places[vertex]));
  }

  /** Takes a vertex out, if it is there. */
  delete(vertex: number): void {
    const place = this.#places[vertex];
    if (place === ABSENT) return;
    this.#places[vertex] = ABSENT;
    const last = this.#heap[--this.#count];
    if (last === vertex) return;
    this.#put(last, place);
    this.#sink(this.#rise(place));
  }

  /** Takes the cheapest vertex out; `undefined` where there is none. */
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

  #put(vertex: number, place: number): void {
    this.#heap[place] = vertex;
    this.#places[vertex] = place;
  }

  #rise(from: number): number {
    const vertex = this.#heap[from];
    let place = from;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (!this.#isBefore(vertex, this.#heap[parent])) break;
      this.#put(this.#heap[parent], place);
      place = parent;
    }
    this.#put(vertex, place);
    return place;
  }

  #sink(from: number): void {
    const vertex = this.#heap[from];
    let place = from;
    for (;;) {
      let child = place * 2 + 1;
      if (child >= this.#count) break;
      if (child + 1 < this.#count && this.#isBefore(this.#heap[child + 1], this.#heap[child])) child++;
      if (!this.#isBefore(this.#heap[child], vertex)) break;
      this.#put(this.#heap[child], place);
      place = child;
    }
    this.#put(vertex, place);
  }
}
