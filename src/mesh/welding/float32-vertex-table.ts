/** The bit pattern of -0 as an int32. */
const NEGATIVE_ZERO_BITS = -0x80000000;
/** Binary logarithm of the number of entries of the lookup cache. Its 16 KiB fit into the L1 cache of the processor. */
const CACHE_BITS = 12;

/**
 * Welds float32 vertices while a reader streams them. Vertices with equal bit patterns get the same index, with -0
 * equal to 0. Indices ascend in the order of first appearance.
 *
 * A hash table with open addressing (linear probing), at most half full. Vertices are stored as numbers, index + 1, so
 * that 0 marks a free slot. The high bits of a slot, which the number does not need, hold the high bits of the hash.
 * The coordinates of a vertex are compared only if these match. A direct-mapped cache precedes the table.
 *
 * Alternatives, measured on a million triangles: a `Map` of strings takes 20 times as long, and sorting takes 3 times
 * as long. Storing the vertices in the order of the slots is slower because of cache misses, and so is prefetching the
 * slots of a block of vertices. The direct-mapped cache finds five of six corners and saves 10 %. A table shared with
 * `Float64VertexTable`, for keys of any number of words, takes 1.5 to 1.9 times as long.
 */
export class Float32VertexTable {
  /** vertex → bit patterns of x, y, z */
  #keys: Int32Array<ArrayBuffer>;
  /** slot → vertex number in the bits of the mask, bits of the hash above; 0 if free */
  #slots: Int32Array<ArrayBuffer>;
  /** high bits of the hash → number of the last vertex with these bits; 0 if none */
  readonly #cache = new Uint32Array(1 << CACHE_BITS);
  #count = 0;

  /** @param expectedCount number of vertices that fit before the table grows */
  constructor(expectedCount: number) {
    this.#keys = new Int32Array(Math.max(16, expectedCount) * 3);
    let size = 64;
    while (size < expectedCount * 2) size *= 2;
    this.#slots = new Int32Array(size);
  }

  /** Adds a vertex, unless the table contains it. Returns its index. */
  add(xBits: number, yBits: number, zBits: number): number {
    const x = (xBits | 0) === NEGATIVE_ZERO_BITS ? 0 : xBits | 0;
    const y = (yBits | 0) === NEGATIVE_ZERO_BITS ? 0 : yBits | 0;
    const z = (zBits | 0) === NEGATIVE_ZERO_BITS ? 0 : zBits | 0;
    const hash = computeHash(x, y, z);
    const cacheSlot = hash >>> (32 - CACHE_BITS);
    const cached = this.#cache[cacheSlot];
    if (cached !== 0 && isEqual(this.#keys, cached, x, y, z)) return cached - 1;
    const vertexNumber = this.#findOrInsert(hash, x, y, z);
    this.#cache[cacheSlot] = vertexNumber;
    return vertexNumber - 1;
  }

  /** Returns a copy of the positions of all vertices: vertex → x, y, z. */
  toPositions(): Float64Array<ArrayBuffer> {
    return new Float64Array(new Float32Array(this.#keys.buffer, 0, this.#count * 3));
  }

  /**
   * Finds a vertex, or inserts it. Returns its number.
   *
   * Each probe computes all of its values before its first branch. V8 would deoptimize the function when a branch with
   * computations is first taken after the optimization.
   */
  #findOrInsert(hash: number, x: number, y: number, z: number): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    for (let probe = hash; ; ) {
      const slot = probe & mask;
      const entry = slots[slot];
      const vertexNumber = entry & mask;
      const hashMismatch = (entry ^ hash) & ~mask;
      probe = (probe + 1) | 0;
      if (entry === 0) return this.#insert(slot, hash & ~mask, x, y, z);
      if (hashMismatch === 0 && isEqual(this.#keys, vertexNumber, x, y, z)) return vertexNumber;
    }
  }

  /** Inserts a vertex. `highBits` are the bits of its hash above the mask. Returns its number. */
  #insert(slot: number, highBits: number, x: number, y: number, z: number): number {
    if (this.#count * 3 === this.#keys.length) this.#growKeys();
    const offset = this.#count * 3;
    this.#keys[offset] = x;
    this.#keys[offset + 1] = y;
    this.#keys[offset + 2] = z;
    const vertexNumber = ++this.#count;
    this.#slots[slot] = highBits | vertexNumber;
    if (vertexNumber * 2 > this.#slots.length) this.#rehash();
    return vertexNumber;
  }

  #growKeys(): void {
    const keys = new Int32Array(this.#keys.length * 2);
    keys.set(this.#keys);
    this.#keys = keys;
  }

  #rehash(): void {
    const slots = new Int32Array(this.#slots.length * 2);
    const mask = slots.length - 1;
    for (let vertex = 0; vertex < this.#count; vertex++) {
      const offset = vertex * 3;
      const hash = computeHash(this.#keys[offset], this.#keys[offset + 1], this.#keys[offset + 2]);
      let slot = hash & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = (hash & ~mask) | (vertex + 1);
    }
    this.#slots = slots;
  }
}

/** Returns whether the vertex with a number has these bit patterns. */
function isEqual(keys: Int32Array, vertexNumber: number, x: number, y: number, z: number): boolean {
  const offset = vertexNumber * 3 - 3;
  return keys[offset] === x && keys[offset + 1] === y && keys[offset + 2] === z;
}

/**
 * Computes the hash of the bit patterns of a vertex. Coordinates with few significant digits differ in their high bits
 * only. The shifts mix these into the low bits, which determine the slot.
 *
 * The multipliers are those of Knuth and of MurmurHash3. The mix is the first half of lowbias32 (C. Wellons 2018).
 */
function computeHash(x: number, y: number, z: number): number {
  const hash = Math.imul(x, 0x9e3779b1) ^ Math.imul(y, 0x85ebca6b) ^ Math.imul(z, 0xc2b2ae35);
  const mixed = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
  return mixed ^ (mixed >>> 15);
}
