import { type Bvh, refitTriangle } from '../spatial/bvh.js';
import { hasCorner } from '../topology/half-edge.js';
import { ChangeableOneRings } from './changeable-one-rings.js';
import { DefectIndex, hasDefects, type TriangleDefects } from './defect-index.js';

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
 * Edits are applied to the arrays and the BVH that the constructor receives. Once the work exceeds its limit, no more
 * are kept.
 */
export class EditableMesh {
  readonly positions: Float64Array;
  readonly triangles: Uint32Array;
  /** triangle → 1 if it was removed */
  readonly isRemoved: Uint8Array;
  readonly #oneRings: ChangeableOneRings;
  /** merged vertex → the vertex that it was merged into */
  readonly #mergedInto = new Map<number, number>();
  readonly #tree: Bvh;
  readonly #defects: DefectIndex;
  /** triangle → slot in the BVH */
  readonly #slotOf: Uint32Array;
  /** Triangles changed by edits that were kept. */
  readonly #changed = new Set<number>();
  /** Inverse operations of the current edit, in the order of its operations. */
  #undo: (() => void)[] = [];

  /**
   * @param isIgnored triangle → 1 if its defects are not counted
   * @param tree the BVH of `triangles`
   * @param maxTests limit of the work. Default: none.
   */
  constructor(
    positions: Float64Array,
    triangles: Uint32Array,
    isIgnored: Uint8Array,
    tree: Bvh,
    maxTests = Number.POSITIVE_INFINITY,
  ) {
    this.positions = positions;
    this.triangles = triangles;
    const isRemoved = new Uint8Array(triangles.length / 3);
    this.isRemoved = isRemoved;
    this.#oneRings = new ChangeableOneRings(triangles, positions.length / 3);
    this.#tree = tree;
    const isExcluded = (triangle: number) => isRemoved[triangle] === 1 || isIgnored[triangle] === 1;
    this.#defects = new DefectIndex({ positions, triangles }, tree, isExcluded, maxTests);
    this.#slotOf = new Uint32Array(isRemoved.length);
    for (let slot = 0; slot < tree.order.length; slot++) this.#slotOf[tree.order[slot]] = slot;
  }

  /** Returns the triangles that were changed since the last call. */
  drainChanged(): number[] {
    const changed = [...this.#changed];
    this.#changed.clear();
    return changed;
  }

  /** Returns the triangles at a vertex. */
  oneRingOf(vertex: number): number[] {
    return this.#oneRings.oneRingOf(vertex);
  }

  /** Returns the number of triangles at a vertex. */
  valenceOf(vertex: number): number {
    return this.#oneRings.valenceOf(vertex);
  }

  /** Returns the triangles that have both vertices. Takes as long as the vertex with fewer triangles has triangles. */
  trianglesAtEdge(a: number, b: number): number[] {
    const [few, other] = this.valenceOf(a) <= this.valenceOf(b) ? [a, b] : [b, a];
    return this.oneRingOf(few).filter((triangle) => hasCorner(this.triangles, triangle, other));
  }

  /** Returns the corners of a triangle, as a view. */
  cornersOf(triangle: number): Uint32Array {
    return this.triangles.subarray(triangle * 3, triangle * 3 + 3);
  }

  /** Units of work so far: those of the `DefectIndex`, and one for each triangle of each edit. */
  get testCount(): number {
    return this.#defects.testCount;
  }

  /** Whether the work exceeds its limit. */
  get isExhausted(): boolean {
    return this.#defects.isExhausted;
  }

  /** Returns the vertices that share an edge with a vertex. */
  neighborsOf(vertex: number): number[] {
    const vertices = new Set<number>();
    for (const triangle of this.oneRingOf(vertex)) for (const corner of this.cornersOf(triangle)) vertices.add(corner);
    vertices.delete(vertex);
    return [...vertices];
  }

  /** Returns the vertices that share an edge with each of two vertices. */
  commonNeighborsOf(a: number, b: number): number[] {
    const [few, other] = this.valenceOf(a) <= this.valenceOf(b) ? [a, b] : [b, a];
    return this.neighborsOf(few).filter((vertex) => vertex !== other && this.trianglesAtEdge(vertex, other).length > 0);
  }

  /**
   * Creates the region for an edit of these triangles. Defective triangles come first: most of them stay defective, so
   * that failed edits are rejected early. The region has no defects if the work exceeds its limit.
   */
  createEditRegion(triangles: readonly number[]): EditRegion {
    const defective: number[] = [];
    const intact: number[] = [];
    const found = new Map<number, TriangleDefects>();
    let defectCount = 0;
    for (const triangle of triangles) {
      const defects = this.#defects.find(triangle);
      if (defects === undefined) return { triangles, defectCount: 0 };
      found.set(triangle, defects);
      defectCount += countNew(defects, found);
      (hasDefects(defects) ? defective : intact).push(triangle);
    }
    return { triangles: [...defective, ...intact], defectCount };
  }

  /**
   * Applies an edit, and rolls it back unless the region has fewer defects. Returns whether the edit was kept. The region
   * must have been created after the last edit that was kept.
   */
  tryEdit({ triangles, defectCount }: EditRegion, edit: () => void): boolean {
    if (defectCount === 0) return false;
    this.#defects.addTests(triangles.length);
    this.#undo = [];
    edit();
    const isHopeless = this.#defects.countRemaining(triangles, defectCount) >= defectCount;
    const found = isHopeless ? undefined : this.#findFewer(triangles, defectCount);
    if (found) {
      this.#defects.replace(found);
      for (const triangle of triangles) this.#changed.add(triangle);
      return true;
    }
    for (const undo of this.#undo.reverse()) undo();
    return false;
  }

  /** Finds the defects of triangles. `undefined` if there are `stopAt` or more, or the work exceeds its limit. */
  #findFewer(triangles: readonly number[], stopAt: number): Map<number, TriangleDefects> | undefined {
    const found = new Map<number, TriangleDefects>();
    let count = 0;
    for (const triangle of triangles) {
      const defects = this.#defects.search(triangle);
      if (defects === undefined) return undefined;
      found.set(triangle, defects);
      count += countNew(defects, found);
      if (count >= stopAt) return undefined;
    }
    return found;
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
    this.#oneRings.delete(triangle, this.cornersOf(triangle));
    this.triangles.set(corners, triangle * 3);
    this.#oneRings.add(triangle, this.cornersOf(triangle));
    this.#refit(triangle);
  }

  /** Removes a triangle. Call only in an edit of it. */
  removeTriangle(triangle: number): void {
    this.#oneRings.delete(triangle, this.cornersOf(triangle));
    this.isRemoved[triangle] = 1;
    this.#undo.push(() => {
      this.isRemoved[triangle] = 0;
      this.#oneRings.add(triangle, this.cornersOf(triangle));
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

  /** Returns whether a triangle is degenerate or intersects another. True if that is not known at the limit of the work. */
  isDefective(triangle: number): boolean {
    const defects = this.#defects.find(triangle);
    return defects === undefined || hasDefects(defects);
  }

  /**
   * Returns the triangles that intersect this one beyond what they share. None if it is degenerate, or if they are not
   * known at the limit of the work.
   */
  findIntersectingTriangles(triangle: number): number[] {
    return [...(this.#defects.find(triangle)?.partners ?? [])];
  }

  #refit(triangle: number): void {
    refitTriangle(this.#tree, this.positions, this.triangles, this.#slotOf[triangle]);
  }
}

/** Counts the defects of a triangle, except for intersections with the triangles in `counted`. */
function countNew({ isDegenerate, partners }: TriangleDefects, counted: ReadonlyMap<number, unknown>): number {
  if (isDegenerate) return 1;
  let count = 0;
  for (const other of partners) if (!counted.has(other)) count++;
  return count;
}
