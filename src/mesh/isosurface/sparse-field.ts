import type { Lattice } from '../spatial/lattice.js';

/** Corners along each side of a block. */
const BLOCK = 8;
const BLOCK_SIZE = BLOCK ** 3;
const OUTSIDE = -1;
const INSIDE = -2;
/** A corner exactly on the surface, which is outside, gets minus this when it is moved inside. */
const MIN_VALUE = 1e-30;

/** Receives the block whose first corner is at x, y, z. */
export type BlockVisitor = (x: number, y: number, z: number) => void;

/**
 * A field on the corners of a lattice, negative inside a body, that stores values only near the surface of the body: in
 * blocks of 8³ corners. The corners of all other blocks have the value 1 or -1. The outermost corners of the lattice are
 * outside in any case.
 */
export class SparseField {
  readonly lattice: Lattice;
  readonly #blockCounts: readonly [number, number, number];
  /** block → its slot, `INSIDE` or `OUTSIDE` */
  readonly #slots: Int32Array;
  #values = new Float32Array(64 * BLOCK_SIZE);
  #slotCount = 0;

  /** Creates a field that is outside everywhere. */
  constructor(lattice: Lattice) {
    this.lattice = lattice;
    const [x, y, z] = lattice.counts;
    this.#blockCounts = [Math.ceil(x / BLOCK), Math.ceil(y / BLOCK), Math.ceil(z / BLOCK)];
    this.#slots = new Int32Array(this.#blockCounts[0] * this.#blockCounts[1] * this.#blockCounts[2]).fill(OUTSIDE);
  }

  /** Returns the value at a corner of the lattice. */
  get(x: number, y: number, z: number): number {
    const slot = this.#slots[this.#blockOf(x, y, z)];
    if (slot < 0) return slot === INSIDE ? -1 : 1;
    return this.#values[slot * BLOCK_SIZE + (((z & 7) << 6) | ((y & 7) << 3) | (x & 7))];
  }

  /** Sets the value at a corner of the lattice. Negative values at the outermost corners are inverted. */
  set(x: number, y: number, z: number, value: number): void {
    const [countX, countY, countZ] = this.lattice.counts;
    const isOutermost = x === 0 || y === 0 || z === 0 || x === countX - 1 || y === countY - 1 || z === countZ - 1;
    const slot = this.#allocate(this.#blockOf(x, y, z));
    this.#values[slot * BLOCK_SIZE + (((z & 7) << 6) | ((y & 7) << 3) | (x & 7))] =
      isOutermost && value < 0 ? -value : value;
  }

  /** Moves a corner to the other side of the surface. */
  invert(x: number, y: number, z: number): void {
    const value = this.get(x, y, z);
    this.set(x, y, z, value === 0 ? -MIN_VALUE : -value);
    // `forEachCorner` visits an edge from its first corner, which therefore has to be in a block with values.
    if (x > 0) this.#allocate(this.#blockOf(x - 1, y, z));
    if (y > 0) this.#allocate(this.#blockOf(x, y - 1, z));
    if (z > 0) this.#allocate(this.#blockOf(x, y, z - 1));
  }

  /** Makes a block that has no values yet inside. `x`, `y`, `z`: its first corner. */
  setInside(x: number, y: number, z: number): void {
    this.#slots[this.#blockOf(x, y, z)] = INSIDE;
    const [countX, countY, countZ] = this.lattice.counts;
    const isBesideBoundary =
      x === 0 || y === 0 || z === 0 || x + BLOCK >= countX - 1 || y + BLOCK >= countY - 1 || z + BLOCK >= countZ - 1;
    if (!isBesideBoundary) return;
    for (let k = z; k < Math.min(z + BLOCK, countZ); k++)
      for (let j = y; j < Math.min(y + BLOCK, countY); j++)
        for (let i = x; i < Math.min(x + BLOCK, countX); i++) this.set(i, j, k, -1);
  }

  /** Calls `visit` for each block that has values, in a fixed order. */
  forEachBlock(visit: BlockVisitor): void {
    const [countX, countY, countZ] = this.#blockCounts;
    for (let z = 0, block = 0; z < countZ; z++) {
      for (let y = 0; y < countY; y++) {
        for (let x = 0; x < countX; x++, block++) if (this.#slots[block] >= 0) visit(x * BLOCK, y * BLOCK, z * BLOCK);
      }
    }
  }

  /**
   * Calls `visit` for each corner in a block that has values, whose cube, edges and faces in positive direction are in
   * the lattice.
   */
  forEachCorner(visit: (x: number, y: number, z: number) => void): void {
    const [countX, countY, countZ] = this.lattice.counts;
    this.forEachBlock((x, y, z) => {
      const endX = Math.min(x + BLOCK, countX - 1);
      const endY = Math.min(y + BLOCK, countY - 1);
      const endZ = Math.min(z + BLOCK, countZ - 1);
      for (let k = z; k < endZ; k++) for (let j = y; j < endY; j++) for (let i = x; i < endX; i++) visit(i, j, k);
    });
  }

  #blockOf(x: number, y: number, z: number): number {
    return ((z >> 3) * this.#blockCounts[1] + (y >> 3)) * this.#blockCounts[0] + (x >> 3);
  }

  /** Returns the slot of a block. Creates it if it has none. */
  #allocate(block: number): number {
    const before = this.#slots[block];
    if (before >= 0) return before;
    const slot = this.#slotCount++;
    if (this.#values.length < this.#slotCount * BLOCK_SIZE) {
      const values = new Float32Array(this.#values.length * 2);
      values.set(this.#values);
      this.#values = values;
    }
    this.#values.fill(before === INSIDE ? -1 : 1, slot * BLOCK_SIZE, (slot + 1) * BLOCK_SIZE);
    this.#slots[block] = slot;
    return slot;
  }
}

/**
 * Creates a field of the values at all corners of a lattice. Stores only the blocks that have values below `nearMm`: in
 * the others, all corners must be on the same side.
 */
export function storeNearValues(lattice: Lattice, values: Float32Array, nearMm: number): SparseField {
  const field = new SparseField(lattice);
  const { counts } = lattice;
  for (let z = 0; z < counts[2]; z += BLOCK) {
    for (let y = 0; y < counts[1]; y += BLOCK) {
      for (let x = 0; x < counts[0]; x += BLOCK) storeBlock(field, values, nearMm, [x, y, z]);
    }
  }
  return field;
}

function storeBlock(
  field: SparseField,
  values: Float32Array,
  nearMm: number,
  [x, y, z]: readonly [number, number, number],
): void {
  const [countX, countY, countZ] = field.lattice.counts;
  const endX = Math.min(x + BLOCK, countX);
  const endY = Math.min(y + BLOCK, countY);
  const endZ = Math.min(z + BLOCK, countZ);
  let isNear = false;
  for (let k = z; k < endZ; k++) {
    for (let j = y; j < endY; j++) {
      const row = (k * countY + j) * countX;
      for (let i = x; i < endX; i++) isNear ||= Math.abs(values[row + i]) < nearMm;
    }
  }
  if (!isNear) {
    if (values[(z * countY + y) * countX + x] < 0) field.setInside(x, y, z);
    return;
  }
  for (let k = z; k < endZ; k++) {
    for (let j = y; j < endY; j++) {
      const row = (k * countY + j) * countX;
      for (let i = x; i < endX; i++) field.set(i, j, k, values[row + i]);
    }
  }
}
