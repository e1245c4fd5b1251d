const CONSTANTS = { x: 0x9e3779b1, y: 0x85ebca6b, z: 0xc2b2ae35, mix: 0x7feb352d };

/**
 * Numbers float32 vertices while a reader meets them, the same number for the same bits (-0 counts as 0): an exact weld on the fly.
 * Numbers go up in the order of first appearance.
 *
 * Open addressing over the bit patterns, at most half full. On a million triangles a `Map` of strings takes twenty times as long,
 * sorting three times; keeping the vertices in the table's own order loses more to the cache than it gains.
 */
export class VertexTable {
  #keys: Uint32Array<ArrayBuffer>;
  /** slot → vertex + 1; 0 is free */
  #slots: Uint32Array<ArrayBuffer>;
  #count = 0;

  /** `expected` vertices fit in without growing; more may come. */
  constructor(expected: number) {
    this.#keys = new Uint32Array(Math.max(16, expected) * 3);
    let size = 64;
    while (size < expected * 2) size *= 2;
    this.#slots = new Uint32Array(size);
  }

  /** The number of the vertex with these bit patterns of x, y and z. */
  numberOf(xBits: number, yBits: number, zBits: number): number {
    const x = xBits === 0x80000000 ? 0 : xBits;
    const y = yBits === 0x80000000 ? 0 : yBits;
    const z = zBits === 0x80000000 ? 0 : zBits;
    const keys = this.#keys;
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = hashOf(x, y, z) & mask;
    for (let entry = slots[slot]; entry !== 0; entry = slots[slot]) {
      const key = entry * 3 - 3;
      if (keys[key] === x && keys[key + 1] === y && keys[key + 2] === z) return entry - 1;
      slot = (slot + 1) & mask;
    }
    return this.#add(slot, x, y, z);
  }

  /** x, y, z of every vertex so far. */
  positions(): Float64Array<ArrayBuffer> {
    return new Float64Array(new Float32Array(this.#keys.buffer, 0, this.#count * 3));
  }

  #add(slot: number, x: number, y: number, z: number): number {
    const vertex = this.#count++;
    if (vertex * 3 === this.#keys.length) {
      const keys = new Uint32Array(this.#keys.length * 2);
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
  const hash = Math.imul(x, CONSTANTS.x) ^ Math.imul(y, CONSTANTS.y) ^ Math.imul(z, CONSTANTS.z);
  const mixed = Math.imul(hash ^ (hash >>> 16), CONSTANTS.mix);
  return mixed ^ (mixed >>> 15);
}
