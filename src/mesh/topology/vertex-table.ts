/** The bits of -0 as an int32. */
const MINUS_ZERO = -0x80000000;
/** How many vertices met lately are kept at hand, as a power of two: those that still fit into the first cache beside the file. */
const RECENT_BITS = 12;

/**
 * Numbers float32 vertices while a reader meets them, the same number for the same bits (-0 counts as 0): an exact weld on the fly.
 * Numbers go up in the order of first appearance.
 *
 * Open addressing over the bit patterns, at most half full. On a million triangles a `Map` of strings takes twenty times as long,
 * sorting three times; keeping the vertices in the table's own order loses more to the cache than it gains. Looking first among those met
 * lately, where five corners of six are found, gains a tenth.
 */
export class VertexTable {
  #keys: Int32Array<ArrayBuffer>;
  /** slot → vertex + 1; 0 is free */
  #slots: Uint32Array<ArrayBuffer>;
  /** upper bits of the hash → vertex + 1; 0 is free */
  readonly #recent = new Uint32Array(1 << RECENT_BITS);
  #count = 0;

  /** `expected` vertices fit in without growing; more may come. */
  constructor(expected: number) {
    this.#keys = new Int32Array(Math.max(16, expected) * 3);
    let size = 64;
    while (size < expected * 2) size *= 2;
    this.#slots = new Uint32Array(size);
  }

  /** The number of the vertex with these bit patterns of x, y and z. */
  numberOf(xBits: number, yBits: number, zBits: number): number {
    const x = (xBits | 0) === MINUS_ZERO ? 0 : xBits | 0;
    const y = (yBits | 0) === MINUS_ZERO ? 0 : yBits | 0;
    const z = (zBits | 0) === MINUS_ZERO ? 0 : zBits | 0;
    const keys = this.#keys;
    const slots = this.#slots;
    const mask = slots.length - 1;
    const hash = hashOf(x, y, z);
    const recent = this.#recent;
    const place = hash >>> (32 - RECENT_BITS);
    const known = recent[place] * 3 - 3;
    if (known >= 0 && keys[known] === x && keys[known + 1] === y && keys[known + 2] === z) return recent[place] - 1;
    let slot = hash & mask;
    for (let entry = slots[slot]; entry !== 0; entry = slots[slot]) {
      const key = entry * 3 - 3;
      if (keys[key] === x && keys[key + 1] === y && keys[key + 2] === z) {
        recent[place] = entry;
        return entry - 1;
      }
      slot = (slot + 1) & mask;
    }
    const vertex = this.#add(slot, x, y, z);
    recent[place] = vertex + 1;
    return vertex;
  }

  /** x, y, z of every vertex so far. */
  positions(): Float64Array<ArrayBuffer> {
    return new Float64Array(new Float32Array(this.#keys.buffer, 0, this.#count * 3));
  }

  #add(slot: number, x: number, y: number, z: number): number {
    const vertex = this.#count++;
    if (vertex * 3 === this.#keys.length) {
      const keys = new Int32Array(this.#keys.length * 2);
      keys.set(this.#keys);
      this.#keys = keys;
    }
    this.#keys[vertex * 3] = x;
    this.#keys[vertex * 3 + 1] = y;
    this.#keys[vertex * 3 + 2] = z;
    this.#slots[slot] = vertex + 1;
    if (this.#count * 2 > this.#slots.length) this.#rehash();
    return vertex;
  }

  #rehash(): void {
    const slots = new Uint32Array(this.#slots.length * 2);
    const mask = slots.length - 1;
    for (let vertex = 0; vertex < this.#count; vertex++) {
      const key = vertex * 3;
      let slot = hashOf(this.#keys[key], this.#keys[key + 1], this.#keys[key + 2]) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = vertex + 1;
    }
    this.#slots = slots;
  }
}

/** Round coordinates differ in their high bits only: the shifts bring them down to where the slot is taken from. */
function hashOf(x: number, y: number, z: number): number {
  const hash = Math.imul(x, 0x9e3779b1) ^ Math.imul(y, 0x85ebca6b) ^ Math.imul(z, 0xc2b2ae35);
  const mixed = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
  return mixed ^ (mixed >>> 15);
}
