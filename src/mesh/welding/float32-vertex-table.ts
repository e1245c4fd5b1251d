/** The bits of -0 as an int32. */
const MINUS_ZERO = -0x80000000;
/** Binary logarithm of the number of recent vertices in the fast lookup: they fit into the L1 cache beside the file. */
const RECENT_BITS = 12;

/**
 * Welds float32 vertices while a reader streams them: equal bit patterns get the same vertex index, with -0 equal to 0.
 * Indices ascend in the order of first appearance.
 *
 * A hash table with open addressing (linear probing), at most half full. The bits of a slot above the vertex index hold
 * the bits of the hash that do not determine the slot, so that mismatching vertices are rarely fetched.
 *
 * Alternatives, measured on a million triangles: a `Map` of strings takes 20 times as long, sorting 3 times. Keeping
 * the vertices in the order of the table, and prefetching the slots of a block of vertices, are both slower because of
 * cache misses. The lookup of recent vertices, which finds five of six corners, saves 10 %.
 */
export class Float32VertexTable {
  /** vertex → bit patterns of x, y, z */
  #keys: Int32Array<ArrayBuffer>;
  /** slot → vertex + 1 in the bits of the mask, bits of the hash above; 0 if free */
  #slots: Int32Array<ArrayBuffer>;
  /** upper bits of the hash → vertex + 1; 0 if free */
  readonly #recent = new Uint32Array(1 << RECENT_BITS);
  #count = 0;

  /** @param expected number of vertices that fit without growing; more are allowed */
  constructor(expected: number) {
    this.#keys = new Int32Array(Math.max(16, expected) * 3);
    let size = 64;
    while (size < expected * 2) size *= 2;
    this.#slots = new Int32Array(size);
  }

  /** Returns the index of the vertex with these bit patterns. Adds the vertex if it is new. */
  indexOf(xBits: number, yBits: number, zBits: number): number {
    const x = (xBits | 0) === MINUS_ZERO ? 0 : xBits | 0;
    const y = (yBits | 0) === MINUS_ZERO ? 0 : yBits | 0;
    const z = (zBits | 0) === MINUS_ZERO ? 0 : zBits | 0;
    const hash = hashOf(x, y, z);
    const index = hash >>> (32 - RECENT_BITS);
    const recent = this.#recent[index];
    if (recent !== 0 && isEqual(this.#keys, recent, x, y, z)) return recent - 1;
    const entry = this.#find(hash, x, y, z);
    this.#recent[index] = entry;
    return entry - 1;
  }

  /** Returns x, y, z of all vertices so far, as a copy. */
  positions(): Float64Array<ArrayBuffer> {
    return new Float64Array(new Float32Array(this.#keys.buffer, 0, this.#count * 3));
  }

  /**
   * Finds or adds a vertex. Returns its index + 1.
   *
   * All values of a step are computed before its branches: a branch that has not run when the function is optimized
   * would cause a deoptimization later.
   */
  #find(hash: number, x: number, y: number, z: number): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    for (let next = hash; ; ) {
      const slot = next & mask;
      const entry = slots[slot];
      const existing = entry & mask;
      const hashMismatch = (entry ^ hash) & ~mask;
      next = (next + 1) | 0;
      if (entry === 0) return this.#add(slot, hash & ~mask, x, y, z);
      if (hashMismatch === 0 && isEqual(this.#keys, existing, x, y, z)) return existing;
    }
  }

  /** Adds a vertex. `high` are the bits of its hash above the mask. Returns its index + 1. */
  #add(slot: number, high: number, x: number, y: number, z: number): number {
    if (this.#count * 3 === this.#keys.length) this.#growKeys();
    const key = this.#count * 3;
    this.#keys[key] = x;
    this.#keys[key + 1] = y;
    this.#keys[key + 2] = z;
    const entry = ++this.#count;
    this.#slots[slot] = high | entry;
    if (entry * 2 > this.#slots.length) this.#rehash();
    return entry;
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
      const key = vertex * 3;
      const hash = hashOf(this.#keys[key], this.#keys[key + 1], this.#keys[key + 2]);
      let slot = hash & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = (hash & ~mask) | (vertex + 1);
    }
    this.#slots = slots;
  }
}

/** Returns whether the vertex of an entry has these bit patterns. */
function isEqual(keys: Int32Array, entry: number, x: number, y: number, z: number): boolean {
  const key = entry * 3 - 3;
  return keys[key] === x && keys[key + 1] === y && keys[key + 2] === z;
}

/**
 * Hashes the bit patterns of a vertex. Round decimal coordinates differ only in their high bits: the shifts mix these
 * into the low bits, which determine the slot.
 */
function hashOf(x: number, y: number, z: number): number {
  const hash = Math.imul(x, 0x9e3779b1) ^ Math.imul(y, 0x85ebca6b) ^ Math.imul(z, 0xc2b2ae35);
  const mixed = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
  return mixed ^ (mixed >>> 15);
}
