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
 * slots of a block of vertices. The direct-mapped cache finds five of six corners and saves 10 %. Copying the bit
 * patterns of a block of triangles to an array, and calling a method for each vertex, takes 10 % longer. A table shared
 * with `Float64VertexTable`, for keys of any number of words, takes 1.5 to 1.9 times as long.
 */
export class Float32VertexTable {
  /** vertex → bit patterns of x, y, z */
  #keys: Int32Array<ArrayBuffer>;
  /** slot → vertex number in the bits of the mask, bits of the hash above; 0 if free */
  #slots: Int32Array<ArrayBuffer>;
  /** high bits of the hash → number of the last vertex with these bits; 0 if none */
  readonly #cache = new Int32Array(1 << CACHE_BITS);
  #count = 0;

  /** @param expectedCount number of vertices that fit before the table grows, less those of one call of `addTriangles` */
  constructor(expectedCount: number) {
    this.#keys = new Int32Array(Math.max(16, expectedCount) * 3);
    let size = 64;
    while (size < expectedCount * 2) size *= 2;
    this.#slots = new Int32Array(size);
  }

  /**
   * Adds the vertices of triangles, unless the table contains them. Writes their indices to `target`, from `start` on.
   *
   * A loop without calls, whose branches are all taken early: V8 deoptimizes a function when a branch with computations
   * is first taken after the optimization.
   *
   * @param view triangles as three vertices of three little-endian float32 each, `strideBytes` apart
   * @param offset offset of the first triangle in `view`
   */
  addTriangles(
    view: DataView,
    offset: number,
    triangleCount: number,
    strideBytes: number,
    target: Uint32Array,
    start: number,
  ): void {
    this.#reserve(this.#count + triangleCount * 3);
    const keys = this.#keys;
    const slots = this.#slots;
    const cache = this.#cache;
    const mask = slots.length - 1;
    const end = offset + triangleCount * strideBytes;
    let count = this.#count;
    let next = start;
    for (let triangle = offset; triangle < end; triangle += strideBytes) {
      for (let point = triangle; point < triangle + 36; point += 12) {
        const xBits = view.getInt32(point, true);
        const yBits = view.getInt32(point + 4, true);
        const zBits = view.getInt32(point + 8, true);
        const x = xBits === NEGATIVE_ZERO_BITS ? 0 : xBits;
        const y = yBits === NEGATIVE_ZERO_BITS ? 0 : yBits;
        const z = zBits === NEGATIVE_ZERO_BITS ? 0 : zBits;
        const hash = computeHash(x, y, z);
        const highBits = hash & ~mask;
        let slot = hash & mask;
        // The candidates are the vertex in the cache, then those in the table.
        let vertexNumber = cache[hash >>> (32 - CACHE_BITS)];
        while (vertexNumber === 0 || !isEqual(keys, vertexNumber, x, y, z)) {
          const entry = slots[slot];
          const freeSlot = slot;
          slot = (slot + 1) & mask;
          if (entry === 0) {
            const offset = count * 3;
            keys[offset] = x;
            keys[offset + 1] = y;
            keys[offset + 2] = z;
            vertexNumber = ++count;
            slots[freeSlot] = highBits | vertexNumber;
            break;
          }
          vertexNumber = (entry & ~mask) === highBits ? entry & mask : 0;
        }
        cache[hash >>> (32 - CACHE_BITS)] = vertexNumber;
        target[next++] = vertexNumber - 1;
      }
    }
    this.#count = count;
  }

  /** Returns a copy of the positions of all vertices: vertex → x, y, z. */
  toPositions(): Float64Array<ArrayBuffer> {
    return new Float64Array(new Float32Array(this.#keys.buffer, 0, this.#count * 3));
  }

  /** Grows the table so that it is at most half full with this many vertices. */
  #reserve(count: number): void {
    if (count * 3 > this.#keys.length) {
      const keys = new Int32Array(Math.max(this.#keys.length * 2, count * 3));
      keys.set(this.#keys);
      this.#keys = keys;
    }
    let size = this.#slots.length;
    while (size < count * 2) size *= 2;
    if (size > this.#slots.length) this.#rehash(size);
  }

  #rehash(size: number): void {
    const slots = new Int32Array(size);
    const mask = size - 1;
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
 * Computes the hash of the bit patterns of a vertex. Each coordinate is mixed before the next is added: the hash of a
 * sum of products is equal for points that are symmetric to an axis, because signs are in the highest bits.
 * Coordinates with few significant digits differ in their high bits only. The shifts mix these into the low bits, which
 * determine the slot.
 *
 * The multipliers are those of Knuth and of MurmurHash3.
 */
function computeHash(x: number, y: number, z: number): number {
  const ofX = Math.imul(x, 0x9e3779b1);
  const ofXy = Math.imul((ofX ^ (ofX >>> 15)) + y, 0x85ebca6b);
  const hash = Math.imul((ofXy ^ (ofXy >>> 13)) + z, 0xc2b2ae35);
  return hash ^ (hash >>> 15);
}
