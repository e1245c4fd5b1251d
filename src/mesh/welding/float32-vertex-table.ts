/** The bits of -0 as an int32. */
const MINUS_ZERO = -0x80000000;
/** How many vertices met lately are kept at hand, as a power of two: those that still fit into the first cache beside the file. */
const RECENT_BITS = 12;

/**
 * Numbers float32 vertices while a reader meets them, the same number for the same bits (-0 counts as 0): an exact weld on the fly.
 * Numbers go up in the order of first appearance.
 *
 * Open addressing over the bit patterns, at most half full. A slot has bits to spare above the vertex: they hold those of its hash that do not
 * say where the slot is, so that hardly ever a vertex is fetched that is another one. On a million triangles a `Map` of strings takes twenty
 * times as long, sorting three times; keeping the vertices in the table's own order loses more to the cache than it gains, and so does touching
 * the slots of a block of vertices before they are needed. Looking first among those met lately, where five corners of six are found, gains
 * a tenth.
 */
export class Float32VertexTable {
  #keys: Int32Array<ArrayBuffer>;
  /** slot → vertex + 1 in the bits of the mask, which are as many as it needs; the hash's own in those above; 0 is free */
  #slots: Int32Array<ArrayBuffer>;
  /** upper bits of the hash → vertex + 1; 0 is free */
  readonly #recent = new Uint32Array(1 << RECENT_BITS);
  #count = 0;

  /** `expected` vertices fit in without growing; more may come. */
  constructor(expected: number) {
    this.#keys = new Int32Array(Math.max(16, expected) * 3);
    let size = 64;
    while (size < expected * 2) size *= 2;
    this.#slots = new Int32Array(size);
  }

  /** The number of the vertex with these bit patterns of x, y and z. */
  indexOf(xBits: number, yBits: number, zBits: number): number {
    const x = (xBits | 0) === MINUS_ZERO ? 0 : xBits | 0;
    const y = (yBits | 0) === MINUS_ZERO ? 0 : yBits | 0;
    const z = (zBits | 0) === MINUS_ZERO ? 0 : zBits | 0;
    const hash = hashOf(x, y, z);
    const index = hash >>> (32 - RECENT_BITS);
    const known = this.#recent[index];
    if (known !== 0 && isAt(this.#keys, known, x, y, z)) return known - 1;
    const entry = this.#find(hash, x, y, z);
    this.#recent[index] = entry;
    return entry - 1;
  }

  /** x, y, z of every vertex so far. */
  positions(): Float64Array<ArrayBuffer> {
    return new Float64Array(new Float32Array(this.#keys.buffer, 0, this.#count * 3));
  }

  /**
   * The vertex + 1, of those that there are or new. All that a step computes stands before its branches: what the compiler has not seen run by
   * the time that it is called makes it start over.
   */
  #find(hash: number, x: number, y: number, z: number): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    for (let next = hash; ; ) {
      const slot = next & mask;
      const entry = slots[slot];
      const known = entry & mask;
      const hashMismatch = (entry ^ hash) & ~mask;
      next = (next + 1) | 0;
      if (entry === 0) return this.#add(slot, hash & ~mask, x, y, z);
      if (hashMismatch === 0 && isAt(this.#keys, known, x, y, z)) return known;
    }
  }

  /** Adds a vertex, `high` being the bits of its hash that its slot does not tell. Answers the vertex + 1. */
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

function isAt(keys: Int32Array, entry: number, x: number, y: number, z: number): boolean {
  const key = entry * 3 - 3;
  return keys[key] === x && keys[key + 1] === y && keys[key + 2] === z;
}

/** Round coordinates differ in their high bits only: the shifts bring them down to where the slot is taken from. */
function hashOf(x: number, y: number, z: number): number {
  const hash = Math.imul(x, 0x9e3779b1) ^ Math.imul(y, 0x85ebca6b) ^ Math.imul(z, 0xc2b2ae35);
  const mixed = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
  return mixed ^ (mixed >>> 15);
}
