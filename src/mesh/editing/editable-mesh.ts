import { areCollinear } from '../geometry/predicates.js';
import { classifyTrianglePair } from '../intersections/classify-triangle-pair.js';
import { type Bvh, forEachTriangleInBox, refitTriangle } from '../spatial/bvh.js';
import { buildOneRings } from '../topology/one-rings.js';

/** Units of work of a query of the BVH. */
const QUERY_WORK = 4;

/** The triangles that an edit changes. */
export interface EditRegion {
  triangles: readonly number[];
  /** Number of defects before the edit. */
  defectCount: number;
}

/**
 * A mesh for small edits with rollback. `tryEdit` keeps an edit only if it reduces the number of defects: degenerate
 * triangles and intersecting pairs.
 *
 * Edits are applied to the arrays and the BVH that the constructor receives.
 */
export class EditableMesh {
  readonly positions: Float64Array;
  readonly triangles: Uint32Array;
  /** triangle → 1 if it was removed */
  readonly isRemoved: Uint8Array;
  /** triangle → 1 if its defects are not counted */
  readonly #isIgnored: Uint8Array;
  readonly #initialOneRingOf: (vertex: number) => readonly number[];
  /** vertex → its triangles, if they differ from the initial ones */
  readonly #changedOneRings = new Map<number, readonly number[]>();
  /** merged vertex → the vertex that it was merged into */
  readonly #mergedInto = new Map<number, number>();
  readonly #tree: Bvh;
  /** triangle → slot in the BVH */
  readonly #slotOf: Uint32Array;
  /** Triangles changed by edits that were kept. */
  readonly #changed = new Set<number>();
  #testCount = 0;
  /** Inverse operations of the current edit, in the order of its operations. */
  #undo: (() => void)[] = [];

  /**
   * @param isIgnored triangle → 1 if its defects are not counted
   * @param tree the BVH of `triangles`
   */
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

  /** Returns the triangles that were changed since the last call. */
  drainChanged(): number[] {
    const changed = [...this.#changed];
    this.#changed.clear();
    return changed;
  }

  /** Returns the triangles at a vertex. */
  oneRingOf(vertex: number): readonly number[] {
    return this.#changedOneRings.get(vertex) ?? this.#initialOneRingOf(vertex);
  }

  /** Returns the corners of a triangle, as a view. */
  cornersOf(triangle: number): Uint32Array {
    return this.triangles.subarray(triangle * 3, triangle * 3 + 3);
  }

  /** Units of work so far: one for each edit and each tested pair of triangles, four for each query of the BVH. */
  get testCount(): number {
    return this.#testCount;
  }

  /** Returns the vertices that share an edge with a vertex. */
  neighborsOf(vertex: number): number[] {
    const vertices = new Set<number>();
    for (const triangle of this.oneRingOf(vertex)) for (const corner of this.cornersOf(triangle)) vertices.add(corner);
    vertices.delete(vertex);
    return [...vertices];
  }

  /**
   * Creates the region for an edit of these triangles. Defective triangles come first: most of them stay defective, so
   * that failed edits are rejected early.
   */
  createEditRegion(triangles: readonly number[]): EditRegion {
    const defective: number[] = [];
    const intact: number[] = [];
    for (const triangle of triangles) (this.countDefects([triangle], 1) > 0 ? defective : intact).push(triangle);
    return { triangles: [...defective, ...intact], defectCount: this.countDefects(defective) };
  }

  /** Applies an edit, and rolls it back unless the region has fewer defects. Returns whether the edit was kept. */
  tryEdit({ triangles, defectCount }: EditRegion, edit: () => void): boolean {
    if (defectCount === 0) return false;
    this.#testCount++;
    this.#undo = [];
    edit();
    if (this.countDefects(triangles, defectCount) < defectCount) {
      for (const triangle of triangles) this.#changed.add(triangle);
      return true;
    }
    for (const undo of this.#undo.reverse()) undo();
    return false;
  }

  /** Moves a vertex. Call only in an edit of all of its triangles. */
  move(vertex: number, coordinates: readonly number[]): void {
    const old = [...this.positions.subarray(vertex * 3, vertex * 3 + 3)];
    this.#setPosition(vertex, coordinates);
    this.#undo.push(() => this.#setPosition(vertex, old));
  }

  #setPosition(vertex: number, coordinates: readonly number[]): void {
    this.positions.set(coordinates, vertex * 3);
    for (const triangle of this.oneRingOf(vertex)) this.#refit(triangle);
  }

  /** Replaces the corners of a triangle. Call only in an edit of it. */
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

  /** Removes a triangle. Call only in an edit of it. */
  removeTriangle(triangle: number): void {
    this.#unlink(triangle);
    this.isRemoved[triangle] = 1;
    this.#undo.push(() => {
      this.isRemoved[triangle] = 0;
      this.#link(triangle);
    });
  }

  /** Records that a vertex was merged into another. Call only in an edit. */
  recordMerge(from: number, to: number): void {
    this.#mergedInto.set(from, to);
    this.#undo.push(() => this.#mergedInto.delete(from));
  }

  /** Returns the vertex that a vertex was merged into, or itself. */
  currentVertex(vertex: number): number {
    let current = vertex;
    for (let next = this.#mergedInto.get(current); next !== undefined; next = this.#mergedInto.get(current))
      current = next;
    return current;
  }

  /**
   * Counts degenerate triangles and improper intersections in `triangles`. Stops at `stopAt`. Default: counts all.
   */
  countDefects(triangles: readonly number[], stopAt = Number.POSITIVE_INFINITY): number {
    let count = 0;
    const counted = new Set<number>();
    for (const triangle of triangles) {
      counted.add(triangle);
      if (this.isRemoved[triangle] === 1 || this.#isIgnored[triangle] === 1) continue;
      count += this.#isDegenerate(triangle) ? 1 : this.#countIntersecting(triangle, counted);
      if (count >= stopAt) break;
    }
    return count;
  }

  #isDegenerate(triangle: number): boolean {
    const offset = triangle * 3;
    return areCollinear(this.positions, this.triangles[offset], this.triangles[offset + 1], this.triangles[offset + 2]);
  }

  /** Counts the triangles that intersect this one, except those in `counted`. */
  #countIntersecting(triangle: number, counted: ReadonlySet<number>): number {
    let count = 0;
    for (const other of this.findIntersectingTriangles(triangle)) if (!counted.has(other)) count++;
    return count;
  }

  /** Finds the triangles that intersect this one beyond what they share. None if it is degenerate. */
  findIntersectingTriangles(triangle: number): number[] {
    const matches: number[] = [];
    if (this.#isDegenerate(triangle)) return matches;
    const box = this.#boxOf(triangle);
    this.#testCount += QUERY_WORK;
    forEachTriangleInBox(this.#tree, box.subarray(0, 3), box.subarray(3), (other) => {
      this.#testCount++;
      if (other === triangle || this.isRemoved[other] === 1 || this.#isIgnored[other] === 1) return;
      if (classifyTrianglePair(this.positions, this.triangles, triangle, other) === 'apart') return;
      if (!this.#isDegenerate(other)) matches.push(other); // last, since most pairs are apart
    });
    return matches;
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
