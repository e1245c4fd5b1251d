import { hashOf } from './weld.js';

/** How many points met lately are kept at hand, as a power of two. */
const RECENT_BITS = 12;

/**
 * Numbers float64 points while a reader meets them, as `Float32VertexTable` does float32 ones: the same number for the same place (-0 counts as 0), in
 * the order of first appearance. For a million triangles of a file that repeats each point six times it takes a third of the memory of
 * collecting all and welding then.
 */
export class Float64VertexTable {
  #positions: Float64Array;
  /** slot → vertex + 1 in the bits of the mask, the point's hash in those above; 0 is free */
  #slots: Int32Array;
  /** upper bits of the hash → vertex + 1; 0 is free */
  readonly #recent = new Uint32Array(1 << RECENT_BITS);
  #count = 0;
  readonly #point = new Float64Array(3);
  readonly #table = new Int32Array(this.#point.buffer);

  /** `expected` points fit in without growing; more may come. */
  constructor(expected: number) {
    this.#positions = new Float64Array(Math.ceil(Math.max(16, expected)) * 3);
    let size = 64;
    while (size < expected * 2) size *= 2;
    this.#slots = new Int32Array(size);
  }

  /** The number of the vertex at this place. */
  indexOf(x: number, y: number, z: number): number {
    const point = this.#point;
    point[0] = x + 0; // -0 + 0 is 0
    point[1] = y + 0;
    point[2] = z + 0;
    const hash = hashOf(this.#table, 0);
    const index = hash >>> (32 - RECENT_BITS);
    const known = this.#recent[index];
    if (known !== 0 && isAt(this.#positions, known, x, y, z)) return known - 1;
    const entry = this.#find(hash, x, y, z);
    this.#recent[index] = entry;
    return entry - 1;
  }

  /** x, y, z of every vertex so far. */
  positions(): Float64Array<ArrayBuffer> {
    return this.#positions.slice(0, this.#count * 3);
  }

  /** The vertex + 1, of those that there are or new. */
  #find(hash: number, x: number, y: number, z: number): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    for (let next = hash; ; ) {
      const slot = next & mask;
      const entry = slots[slot];
      const known = entry & mask;
      const hashMismatch = (entry ^ hash) & ~mask;
      next = (next + 1) | 0;
      if (entry === 0) return this.#add(slot, hash & ~mask);
      if (hashMismatch === 0 && isAt(this.#positions, known, x, y, z)) return known;
    }
  }

  /** Adds the point, `high` being the bits of its hash that its slot does not tell. Answers the vertex + 1. */
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

function isAt(positions: Float64Array, entry: number, x: number, y: number, z: number): boolean {
  const offset = entry * 3 - 3;
  return positions[offset] === x && positions[offset + 1] === y && positions[offset + 2] === z;
}
