import { hashOf } from './weld.js';

/**
 * Numbers float64 points while a reader meets them, as `VertexTable` does float32 ones: the same number for the same place (-0 counts as 0), in
 * the order of first appearance. For a million triangles of a file that repeats each point six times it takes a third of the memory of
 * collecting all and welding then.
 */
export class PointTable {
  #positions: Float64Array;
  /** slot → vertex + 1; 0 is free */
  #slots: Uint32Array;
  #count = 0;
  readonly #point = new Float64Array(3);
  readonly #words = new Uint32Array(this.#point.buffer);

  /** `expected` points fit in without growing; more may come. */
  constructor(expected: number) {
    this.#positions = new Float64Array(Math.ceil(Math.max(16, expected)) * 3);
    let size = 64;
    while (size < expected * 2) size *= 2;
    this.#slots = new Uint32Array(size);
  }

  /** The number of the vertex at this place. */
  numberOf(x: number, y: number, z: number): number {
    const point = this.#point;
    point[0] = x + 0; // -0 + 0 is 0
    point[1] = y + 0;
    point[2] = z + 0;
    const positions = this.#positions;
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = hashOf(this.#words, 0) & mask;
    for (let entry = slots[slot]; entry !== 0; entry = slots[slot]) {
      const at = entry * 3 - 3;
      if (positions[at] === x && positions[at + 1] === y && positions[at + 2] === z) return entry - 1;
      slot = (slot + 1) & mask;
    }
    return this.#add(slot);
  }

  /** x, y, z of every vertex so far. */
  positions(): Float64Array<ArrayBuffer> {
    return this.#positions.slice(0, this.#count * 3);
  }

  #add(slot: number): number {
    const vertex = this.#count++;
    if (vertex * 3 === this.#positions.length) {
      const positions = new Float64Array(this.#positions.length * 2);
      positions.set(this.#positions);
      this.#positions = positions;
    }
    this.#positions.set(this.#point, vertex * 3);
    this.#slots[slot] = vertex + 1;
    if (this.#count * 2 > this.#slots.length) this.#rehash();
    return vertex;
  }

  #rehash(): void {
    const slots = new Uint32Array(this.#slots.length * 2);
    const mask = slots.length - 1;
    const words = new Uint32Array(this.#positions.buffer);
    for (let vertex = 0; vertex < this.#count; vertex++) {
      let slot = hashOf(words, vertex * 6) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = vertex + 1;
    }
    this.#slots = slots;
  }
}
