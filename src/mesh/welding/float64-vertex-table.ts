import { computeHash } from './weld.js';

/** Binary logarithm of the number of entries of the lookup cache. */
const CACHE_BITS = 12;

/**
 * Welds float64 vertices while a reader streams them, as `Float32VertexTable` does for float32. Vertices with equal
 * coordinates get the same index, with -0 equal to 0. Indices ascend in the order of first appearance. Vertices are
 * stored as numbers, index + 1, so that 0 marks a free slot.
 *
 * For a million triangles of a file that repeats each point six times, it needs a third of the memory of collecting all
 * points and welding them afterwards. A table shared with `Float32VertexTable` takes a fifth longer.
 */
export class Float64VertexTable {
  /** vertex → x, y, z */
  #positions: Float64Array;
  /** slot → vertex number in the bits of the mask, bits of the hash above; 0 if free */
  #slots: Int32Array;
  /** high bits of the hash → number of the last vertex with these bits; 0 if none */
  readonly #cache = new Uint32Array(1 << CACHE_BITS);
  #count = 0;
  /** The point of the current call, with -0 replaced by 0. */
  readonly #point = new Float64Array(3);
  readonly #words = new Int32Array(this.#point.buffer);

  /** @param expectedCount number of vertices that fit before the table grows */
  constructor(expectedCount: number) {
    this.#positions = new Float64Array(Math.ceil(Math.max(16, expectedCount)) * 3);
    let size = 64;
    while (size < expectedCount * 2) size *= 2;
    this.#slots = new Int32Array(size);
  }

  /** Adds a vertex, unless the table contains it. Returns its index. */
  add(x: number, y: number, z: number): number {
    const point = this.#point;
    point[0] = x + 0; // -0 + 0 is 0
    point[1] = y + 0;
    point[2] = z + 0;
    const hash = computeHash(this.#words, 0);
    const cacheSlot = hash >>> (32 - CACHE_BITS);
    const cached = this.#cache[cacheSlot];
    if (cached !== 0 && isEqual(this.#positions, cached, x, y, z)) return cached - 1;
    const vertexNumber = this.#findOrInsert(hash, x, y, z);
    this.#cache[cacheSlot] = vertexNumber;
    return vertexNumber - 1;
  }

  /** Returns a copy of the positions of all vertices: vertex → x, y, z. */
  toPositions(): Float64Array<ArrayBuffer> {
    return this.#positions.slice(0, this.#count * 3);
  }

  /** Finds a vertex, or inserts the current point. Returns its number. */
  #findOrInsert(hash: number, x: number, y: number, z: number): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    for (let probe = hash; ; ) {
      const slot = probe & mask;
      const entry = slots[slot];
      const vertexNumber = entry & mask;
      const hashMismatch = (entry ^ hash) & ~mask;
      probe = (probe + 1) | 0;
      if (entry === 0) return this.#insert(slot, hash & ~mask);
      if (hashMismatch === 0 && isEqual(this.#positions, vertexNumber, x, y, z)) return vertexNumber;
    }
  }

  /** Inserts the current point. `highBits` are the bits of its hash above the mask. Returns its number. */
  #insert(slot: number, highBits: number): number {
    const offset = this.#count * 3;
    if (offset === this.#positions.length) this.#grow();
    for (let k = 0; k < 3; k++) this.#positions[offset + k] = this.#point[k];
    const vertexNumber = ++this.#count;
    this.#slots[slot] = highBits | vertexNumber;
    if (vertexNumber * 2 > this.#slots.length) this.#rehash();
    return vertexNumber;
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
      const hash = computeHash(words, vertex * 6);
      let slot = hash & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = (hash & ~mask) | (vertex + 1);
    }
    this.#slots = slots;
  }
}

/** Returns whether the vertex with a number has these coordinates. */
function isEqual(positions: Float64Array, vertexNumber: number, x: number, y: number, z: number): boolean {
  const offset = vertexNumber * 3 - 3;
  return positions[offset] === x && positions[offset + 1] === y && positions[offset + 2] === z;
}
