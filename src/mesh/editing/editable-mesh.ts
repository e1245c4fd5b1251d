import { areCollinear } from '../geometry/predicates.js';
import { classifyTrianglePair } from '../intersections/classify-triangle-pair.js';
import { type Bvh, forEachTriangleInBox, refitTriangle } from '../spatial/bvh.js';
import { buildOneRings } from '../topology/one-rings.js';

/** Triangles that a change is about. */
export interface EditRegion {
  triangles: readonly number[];
  /** How much is wrong with them. */
  defectCount: number;
}

/** A surface that is changed a little at a time, each change kept only where it does good. */
export class EditableMesh {
  readonly positions: Float64Array;
  readonly triangles: Uint32Array;
  /** triangle → 1 where it was taken out */
  readonly isRemoved: Uint8Array;
  /** triangle → 1 where nobody asks after it */
  readonly #isIgnored: Uint8Array;
  readonly #initialOneRingOf: (vertex: number) => readonly number[];
  /** vertex → its triangles, where they are others than at first */
  readonly #changedOneRings = new Map<number, readonly number[]>();
  /** vertex that vanished → the one that it became one with */
  readonly #becameOf = new Map<number, number>();
  readonly #tree: Bvh;
  /** triangle → its place in the tree */
  readonly #slotOf: Uint32Array;
  /** Triangles of all attempts that stayed. */
  readonly #changed = new Set<number>();
  #work = 0;
  /** How to take back what was changed since the attempt began, last change last. */
  #undo: (() => void)[] = [];

  /** Works on these arrays and the tree of these triangles themselves. */
  constructor(positions: Float64Array, triangles: Uint32Array, isIgnored: Uint8Array, tree: Bvh) {
    this.positions = positions;
    this.triangles = triangles;
    this.isRemoved = new Uint8Array(triangles.length / 3);
    this.#isIgnored = isIgnored;
    this.#initialOneRingOf = buildOneRings(triangles, positions.length / 3);
    this.#tree = tree;
    this.#slotOf = new Uint32Array(this.isRemoved.length);
    for (let slot = 0; slot < tree.order.length; slot++) this.#slotOf[tree.order[slot]] = slot;
  }

  /** The triangles that were changed since this was asked last. */
  drainChanged(): number[] {
    const changed = [...this.#changed];
    this.#changed.clear();
    return changed;
  }

  /** The triangles round a vertex. */
  oneRingOf(vertex: number): readonly number[] {
    return this.#changedOneRings.get(vertex) ?? this.#initialOneRingOf(vertex);
  }

  cornersOf(triangle: number): Uint32Array {
    return this.triangles.subarray(triangle * 3, triangle * 3 + 3);
  }

  /** How much was done: pairs of triangles that were looked at. */
  get testCount(): number {
    return this.#work;
  }

  /** The vertices that an edge joins with this one. */
  neighborsOf(vertex: number): number[] {
    const vertices = new Set<number>();
    for (const triangle of this.oneRingOf(vertex)) for (const corner of this.cornersOf(triangle)) vertices.add(corner);
    vertices.delete(vertex);
    return [...vertices];
  }

  /** These triangles with what is wrong with them, for attempts on them: those come first that something is wrong with, as they mostly stay so. */
  createEditRegion(triangles: readonly number[]): EditRegion {
    const wrong: number[] = [];
    const right: number[] = [];
    for (const triangle of triangles) (this.countDefects([triangle], 1) > 0 ? wrong : right).push(triangle);
    return { triangles: [...wrong, ...right], defectCount: this.countDefects(wrong) };
  }

  /** Makes a change to a group, and takes it back unless less is wrong with it then. Answers whether it stays. */
  tryEdit({ triangles, defectCount }: EditRegion, change: () => void): boolean {
    if (defectCount === 0) return false;
    this.#work++;
    this.#undo = [];
    change();
    if (this.countDefects(triangles, defectCount) < defectCount) {
      for (const triangle of triangles) this.#changed.add(triangle);
      return true;
    }
    for (const undo of this.#undo.reverse()) undo();
    return false;
  }

  /** Moves a vertex. Within an attempt on its triangles. */
  move(vertex: number, coordinates: readonly number[]): void {
    const old = [...this.positions.subarray(vertex * 3, vertex * 3 + 3)];
    this.#setPosition(vertex, coordinates);
    this.#undo.push(() => this.#setPosition(vertex, old));
  }

  #setPosition(vertex: number, coordinates: readonly number[]): void {
    this.positions.set(coordinates, vertex * 3);
    for (const triangle of this.oneRingOf(vertex)) this.#refit(triangle);
  }

  /** Gives a triangle other corners. Within an attempt on it. */
  setCorners(triangle: number, corners: readonly number[]): void {
    const old = [...this.cornersOf(triangle)];
    this.#assignCorners(triangle, corners);
    this.#undo.push(() => this.#assignCorners(triangle, old));
  }

  #assignCorners(triangle: number, corners: readonly number[]): void {
    this.#unlink(triangle);
    this.triangles.set(corners, triangle * 3);
    this.#link(triangle);
    this.#refit(triangle);
  }

  /** Takes a triangle out. Within an attempt on it. */
  removeTriangle(triangle: number): void {
    this.#unlink(triangle);
    this.isRemoved[triangle] = 1;
    this.#undo.push(() => {
      this.isRemoved[triangle] = 0;
      this.#link(triangle);
    });
  }

  /** Notes that a vertex became one with another. Within an attempt. */
  recordMerge(from: number, to: number): void {
    this.#becameOf.set(from, to);
    this.#undo.push(() => this.#becameOf.delete(from));
  }

  /** What a vertex is now: itself, or the one that it became one with. */
  currentVertex(vertex: number): number {
    let now = vertex;
    for (let next = this.#becameOf.get(now); next !== undefined; next = this.#becameOf.get(now)) now = next;
    return now;
  }

  /**
   * How much is wrong with these triangles: those without area, and pairs that one of them makes with any triangle and that cross, overlap or
   * touch beyond what they share. Counts on from `stopAt` no further.
   */
  countDefects(group: readonly number[], stopAt = Number.POSITIVE_INFINITY): number {
    let count = 0;
    const seen = new Set<number>();
    for (const triangle of group) {
      seen.add(triangle);
      if (this.isRemoved[triangle] === 1 || this.#isIgnored[triangle] === 1) continue;
      count += this.#isDegenerate(triangle) ? 1 : this.#countIntersecting(triangle, seen);
      if (count >= stopAt) break;
    }
    return count;
  }

  #isDegenerate(triangle: number): boolean {
    const offset = triangle * 3;
    return areCollinear(this.positions, this.triangles[offset], this.triangles[offset + 1], this.triangles[offset + 2]);
  }

  /** How many triangles meet this one, but for those in `seen`. */
  #countIntersecting(triangle: number, seen: ReadonlySet<number>): number {
    let count = 0;
    for (const other of this.findIntersectingTriangles(triangle)) if (!seen.has(other)) count++;
    return count;
  }

  /** Triangles that cross, overlap or touch this one beyond what they share. */
  findIntersectingTriangles(triangle: number): number[] {
    const met: number[] = [];
    if (this.#isDegenerate(triangle)) return met;
    const box = this.#boxOf(triangle);
    forEachTriangleInBox(this.#tree, box.subarray(0, 3), box.subarray(3), (other) => {
      this.#work++;
      if (
        other === triangle ||
        this.isRemoved[other] === 1 ||
        this.#isIgnored[other] === 1 ||
        this.#isDegenerate(other)
      )
        return;
      if (classifyTrianglePair(this.positions, this.triangles, triangle, other) !== 'apart') met.push(other);
    });
    return met;
  }

  #boxOf(triangle: number): Float64Array {
    const box = new Float64Array(6);
    const { positions } = this;
    const [a, b, c] = this.cornersOf(triangle);
    for (let k = 0; k < 3; k++) {
      box[k] = Math.min(positions[a * 3 + k], positions[b * 3 + k], positions[c * 3 + k]);
      box[k + 3] = Math.max(positions[a * 3 + k], positions[b * 3 + k], positions[c * 3 + k]);
    }
    return box;
  }

  #refit(triangle: number): void {
    refitTriangle(this.#tree, this.positions, this.triangles, this.#slotOf[triangle]);
  }

  #unlink(triangle: number): void {
    for (const vertex of this.cornersOf(triangle)) {
      const others = this.oneRingOf(vertex).filter((other) => other !== triangle);
      this.#changedOneRings.set(vertex, others);
    }
  }

  #link(triangle: number): void {
    for (const vertex of this.cornersOf(triangle))
      this.#changedOneRings.set(vertex, [...this.oneRingOf(vertex), triangle]);
  }
}
