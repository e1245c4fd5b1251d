import { hashOf } from './weld.js';

/** Binary logarithm of the number of recent vertices in the fast lookup. */
const RECENT_BITS = 12;

/**
 * Welds float64 vertices while a reader streams them, as `Float32VertexTable` does for float32: equal coordinates get
 * the same vertex index, with -0 equal to 0. Indices ascend in the order of first appearance.
 *
 * For a million triangles of a file that repeats each point six times, it needs a third of the memory of collecting all
 * points and welding them afterwards.
 */
export class Float64VertexTable {
  /** vertex → x, y, z */
  #positions: Float64Array;
  /** slot → vertex + 1 in the bits of the mask, bits of the hash above; 0 if free */
  #slots: Int32Array;
  /** upper bits of the hash → vertex + 1; 0 if free */
  readonly #recent = new Uint32Array(1 << RECENT_BITS);
  #count = 0;
  /** The point of the current call, with -0 replaced by 0. */
  readonly #point = new Float64Array(3);
  readonly #words = new Int32Array(this.#point.buffer);

  /** @param expected number of vertices that fit without growing; more are allowed */
  constructor(expected: number) {
    this.#positions = new Float64Array(Math.ceil(Math.max(16, expected)) * 3);
    let size = 64;
    while (size < expected * 2) size *= 2;
    this.#slots = new Int32Array(size);
  }

  /** Returns the index of the vertex with these coordinates. Adds the vertex if it is new. */
  indexOf(x: number, y: number, z: number): number {
    const point = this.#point;
    point[0] = x + 0; // -0 + 0 is 0
    point[1] = y + 0;
    point[2] = z + 0;
    const hash = hashOf(this.#words, 0);
    const index = hash >>> (32 - RECENT_BITS);
    const recent = this.#recent[index];
    if (recent !== 0 && isEqual(this.#positions, recent, x, y, z)) return recent - 1;
    const entry = this.#find(hash, x, y, z);
    this.#recent[index] = entry;
    return entry - 1;
  }

  /** Returns x, y, z of all vertices so far, as a copy. */
  positions(): Float64Array<ArrayBuffer> {
    return this.#positions.slice(0, this.#count * 3);
  }

  /** Finds the vertex, or adds the current point. Returns its index + 1. */
  #find(hash: number, x: number, y: number, z: number): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    for (let next = hash; ; ) {
      const slot = next & mask;
      const entry = slots[slot];
      const existing = entry & mask;
      const hashMismatch = (entry ^ hash) & ~mask;
      next = (next + 1) | 0;
      if (entry === 0) return this.#add(slot, hash & ~mask);
      if (hashMismatch === 0 && isEqual(this.#positions, existing, x, y, z)) return existing;
    }
  }

  /** Adds the current point. `high` are the bits of its hash above the mask. Returns its index + 1. */
  #add(slot: number, high: number): number {
    const offset = this.#count * 3;
    if (offset === this.#positions.length) this.#grow();
    for (let k = 0; k < 3; k++) this.#positions[offset + k] = this.#point[k];
    const entry = ++this.#count;
    this.#slots[slot] = high | entry;
    if (entry * 2 > this.#slots.length) this.#rehash();
    return entry;
  }

  #grow(): void {
    const positions = new Float64Array(this.#positions.length * 2);
    positions.set(this.#positions);
    this.#positions = positions;
  }

  #rehash(): void {
    const slots = new Int32Array(this.#slots.length * 2);
    const mask = slots.length - 1;
    const words = new Int32Array(this.#positions.buffer);
    for (let vertex = 0; vertex < this.#count; vertex++) {
      const hash = hashOf(words, vertex * 6);
      let slot = hash & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = (hash & ~mask) | (vertex + 1);
    }
    this.#slots = slots;
  }
}

/** Returns whether the vertex of an entry has these coordinates. */
function isEqual(positions: Float64Array, entry: number, x: number, y: number, z: number): boolean {
  const offset = entry * 3 - 3;
  return positions[offset] === x && positions[offset + 1] === y && positions[offset + 2] === z;
}
