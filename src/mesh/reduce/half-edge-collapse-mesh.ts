import type { IndexedMesh } from '../core/mesh.js';
import { createWorkCounter, type WorkCounter } from '../core/work-counter.js';
import { doubleAreaNormal } from '../geometry/double-area-normal.js';
import type { DistanceQuery } from '../spatial/distance-query.js';
import { hasCorner, nextOf, previousOf, triangleOf } from '../topology/half-edge.js';
import { isTriangleAllowed } from './is-triangle-allowed.js';
import { removeTriangles } from './remove-triangles.js';
import { TrackedPoints } from './tracked-points.js';

const NONE = -1;
/**
 * Minimum cosine of the angle by which a triangle rotates, whatever `maxAngle` is. A triangle that rotates further may
 * fold over its neighbors.
 */
const MIN_COSINE = 0.2;
/** A vertex with more neighbors stays: it is the center of a large fan, and trying all neighbors would be slow. */
export const MAX_VALENCE = 48;
/** Allowance for the rounding error of the cosine, for a `maxAngle` of zero. */
const COSINE_EPSILON = 1e-9;

/** Limits of a simplification. */
export interface SimplificationLimits {
  /** Maximum distance between the original surface and the simplified one. */
  accuracyMm: number;
  /** Maximum rotation of a triangle against its original normal, in degrees. */
  maxAngle: number;
}

/**
 * A mesh that is simplified by half-edge collapses. A collapse merges a vertex into a neighbor and removes the two
 * triangles at their edge. The neighbor does not move, so that planar parts stay exactly planar.
 *
 * A collapse is allowed on three conditions: it preserves the topology (link condition), no triangle rotates further
 * than the limit, and the tracked points of the original surface stay within the accuracy. Has linked corners and no
 * undo, unlike `EditableMesh`: millions of collapses are tested, and there a test takes a hundred times as long.
 */
export class HalfEdgeCollapseMesh {
  /** vertex → x, y, z in mm */
  readonly positions: Float64Array;
  /** triangle → three vertex indices; includes removed triangles */
  readonly triangles: Uint32Array;
  readonly accuracyMm: number;
  readonly #source: IndexedMesh;
  readonly #work: WorkCounter;
  readonly #sourceDistance: DistanceQuery;
  readonly #minCosine: number;
  /** triangle → 1 if it was removed */
  readonly isRemoved: Uint8Array;
  /** triangle → x, y, z of its original unit normal; zero if it was degenerate */
  readonly #normals: Float32Array;
  /** vertex → the first corner in its list, or `NONE` */
  readonly #firstCorner: Int32Array;
  /** corner → the next corner in the list of its vertex, or `NONE` */
  readonly #nextCorner: Int32Array;
  readonly #trackedPoints: TrackedPoints;
  /** The triangles around the vertex of the current collapse. */
  readonly #oneRing: number[] = [];
  /** The triangles of `#oneRing` that the collapse does not remove. */
  readonly #remainingTriangles: number[] = [];
  /** index in `#remainingTriangles` → the corner of the triangle that moves to the target */
  readonly #movedCorners: number[] = [];
  /** vertex → the value of `#stamp` when it was last visited */
  readonly #visitStamps: Uint32Array;
  #stamp = 0;

  /**
   * @param sourceDistance answers distance queries against `source`
   * @param work counts the triangles around targets. At its limit, none with more than `MAX_VALENCE` is taken any more.
   */
  constructor(
    source: IndexedMesh,
    sourceDistance: DistanceQuery,
    limits: SimplificationLimits,
    work: WorkCounter = createWorkCounter(),
  ) {
    const vertexCount = source.positions.length / 3;
    const triangleCount = source.triangles.length / 3;
    this.#source = source;
    this.#work = work;
    this.#sourceDistance = sourceDistance;
    this.accuracyMm = limits.accuracyMm;
    this.#minCosine = Math.max(MIN_COSINE, Math.cos((limits.maxAngle * Math.PI) / 180) - COSINE_EPSILON);
    this.positions = source.positions;
    this.triangles = source.triangles.slice();
    this.isRemoved = new Uint8Array(triangleCount);
    this.#normals = new Float32Array(triangleCount * 3);
    this.#firstCorner = new Int32Array(vertexCount).fill(NONE);
    this.#nextCorner = new Int32Array(source.triangles.length);
    this.#trackedPoints = new TrackedPoints(this, limits.accuracyMm, MAX_VALENCE);
    this.#visitStamps = new Uint32Array(vertexCount);
    for (let corner = source.triangles.length - 1; corner >= 0; corner--) {
      this.#nextCorner[corner] = this.#firstCorner[source.triangles[corner]];
      this.#firstCorner[source.triangles[corner]] = corner;
    }
    for (let triangle = 0; triangle < triangleCount; triangle++) {
      const [x, y, z] = doubleAreaNormal(source.positions, source.triangles, triangle);
      const length = Math.hypot(x, y, z) || 1;
      this.#normals[triangle * 3] = x / length;
      this.#normals[triangle * 3 + 1] = y / length;
      this.#normals[triangle * 3 + 2] = z / length;
    }
  }

  /** Returns a mesh of the remaining triangles in their original order. Vertices keep their indices. */
  toMesh(): IndexedMesh {
    return removeTriangles({ ...this.#source, triangles: this.triangles }, this.isRemoved);
  }

  /**
   * Writes the neighbors of a vertex with a closed fan to `neighbors`, as many as fit. Returns the number of those
   * written.
   */
  writeNeighbors(vertex: number, neighbors: Int32Array): number {
    let count = 0;
    for (
      let corner = this.#findFirstCorner(vertex);
      corner !== NONE && count < neighbors.length;
      corner = this.#findNextCorner(corner)
    ) {
      neighbors[count++] = this.triangles[nextOf(corner)];
    }
    return count;
  }

  /** Counts the triangles around a vertex, up to one more than `MAX_VALENCE`. */
  valenceOf(vertex: number): number {
    let count = 0;
    let corner = this.#findFirstCorner(vertex);
    for (; corner !== NONE && count <= MAX_VALENCE; corner = this.#findNextCorner(corner)) count++;
    return count;
  }

  /** Returns whether `vertex` can collapse to its neighbor `target`. It has at most `MAX_VALENCE` triangles. */
  canCollapse(vertex: number, target: number): boolean {
    if (!this.#satisfiesLinkCondition(vertex, target)) return false;
    this.#collectOneRing(vertex, target);
    for (const corner of this.#movedCorners) if (!this.#canMoveCorner(corner, target)) return false;
    for (const corner of this.#movedCorners) this.triangles[corner] = target;
    const isWithinLimit =
      this.#trackedPoints.areWithinLimit(vertex, this.#oneRing, this.#remainingTriangles) &&
      this.#areNewEdgesWithinLimit(target);
    for (const corner of this.#movedCorners) this.triangles[corner] = vertex;
    return isWithinLimit;
  }

  /**
   * Collapses `vertex` to its neighbor `target`.
   *
   * @param isFlat whether the surface at `vertex` was flat. Fewer tracked points are kept then.
   * @param wasTested whether `canCollapse` was called for it just before
   */
  collapse(vertex: number, target: number, isFlat: boolean, wasTested: boolean): void {
    if (!wasTested) this.#collectOneRing(vertex, target);
    for (const triangle of this.#oneRing) if (hasCorner(this.triangles, triangle, target)) this.isRemoved[triangle] = 1;
    for (const corner of this.#movedCorners) {
      this.triangles[corner] = target;
      this.#nextCorner[corner] = this.#firstCorner[target];
      this.#firstCorner[target] = corner;
    }
    this.#firstCorner[vertex] = NONE;
    if (!wasTested) this.#trackedPoints.project(vertex, this.#oneRing, this.#remainingTriangles);
    this.#trackedPoints.reassign(this.#oneRing, this.#remainingTriangles, isFlat);
  }

  /**
   * Returns whether the middle of each edge that a collapse creates at `target` is near the original surface. Where it
   * is not, the new triangles bridge a notch, or cover a part of a hole.
   */
  #areNewEdgesWithinLimit(target: number): boolean {
    const p = this.positions;
    const a = target * 3;
    for (const corner of this.#movedCorners) {
      // Each edge belongs to two of the triangles. Of the two edges that are not new, one is tested too.
      const b = this.triangles[nextOf(corner)] * 3;
      this.#sourceDistance.nearest = triangleOf(corner);
      const [x, y, z] = [(p[a] + p[b]) / 2, (p[a + 1] + p[b + 1]) / 2, (p[a + 2] + p[b + 2]) / 2];
      if (!this.#sourceDistance.isWithin(x, y, z, this.accuracyMm)) return false;
    }
    return true;
  }

  /** Collects the one-ring of a vertex, and the triangles of it that remain after a collapse to `target`. */
  #collectOneRing(vertex: number, target: number): void {
    this.#oneRing.length = 0;
    this.#remainingTriangles.length = 0;
    this.#movedCorners.length = 0;
    for (let corner = this.#findFirstCorner(vertex); corner !== NONE; corner = this.#findNextCorner(corner)) {
      const triangle = triangleOf(corner);
      this.#oneRing.push(triangle);
      if (hasCorner(this.triangles, triangle, target)) continue;
      this.#remainingTriangles.push(triangle);
      this.#movedCorners.push(corner);
    }
  }

  /**
   * Returns whether the collapse preserves the topology: the only common neighbors of both vertices are the two
   * opposite their edge (link condition; T. K. Dey, H. Edelsbrunner, S. Guha, D. V. Nekhayev: Topology Preserving Edge
   * Contraction, 1999).
   *
   * Also returns false if a triangle connects `target` with both opposite vertices: a triangle of `vertex` could
   * coincide with it after the collapse.
   */
  #satisfiesLinkCondition(vertex: number, target: number): boolean {
    const stamp = ++this.#stamp;
    let left = NONE; // the vertices opposite the edge
    let right = NONE;
    for (let corner = this.#findFirstCorner(vertex); corner !== NONE; corner = this.#findNextCorner(corner)) {
      const next = this.triangles[nextOf(corner)];
      const previous = this.triangles[previousOf(corner)];
      this.#visitStamps[next] = stamp;
      if (next === target) left = previous;
      if (previous === target) right = next;
    }
    if (left === NONE || right === NONE || left === right) return false;
    if (this.#work.isExceeded() && this.valenceOf(target) > MAX_VALENCE) return false;
    for (let corner = this.#findFirstCorner(target); corner !== NONE; corner = this.#findNextCorner(corner)) {
      this.#work.add(1);
      const next = this.triangles[nextOf(corner)];
      const previous = this.triangles[previousOf(corner)];
      const isNextOpposite = next === left || next === right;
      const isPreviousOpposite = previous === left || previous === right;
      if (isNextOpposite && isPreviousOpposite) return false;
      if (!isNextOpposite && next !== vertex && this.#visitStamps[next] === stamp) return false;
      if (!isPreviousOpposite && previous !== vertex && this.#visitStamps[previous] === stamp) return false;
    }
    return true;
  }

  /** Returns whether a corner can move to `target`: see `isTriangleAllowed`. */
  #canMoveCorner(corner: number, target: number): boolean {
    const b = this.triangles[nextOf(corner)] * 3;
    const c = this.triangles[previousOf(corner)] * 3;
    const normal = triangleOf(corner) * 3;
    return isTriangleAllowed(this.positions, target * 3, b, c, this.#normals, normal, this.#minCosine);
  }

  /** Finds the first corner in the list of a vertex. Unlinks the corners of removed triangles before it. */
  #findFirstCorner(vertex: number): number {
    let corner = this.#firstCorner[vertex];
    while (corner !== NONE && this.isRemoved[triangleOf(corner)] === 1) corner = this.#nextCorner[corner];
    this.#firstCorner[vertex] = corner;
    return corner;
  }

  /** Finds the next corner in the list of the same vertex. Unlinks the corners of removed triangles between them. */
  #findNextCorner(corner: number): number {
    let next = this.#nextCorner[corner];
    while (next !== NONE && this.isRemoved[triangleOf(next)] === 1) next = this.#nextCorner[next];
    this.#nextCorner[corner] = next;
    return next;
  }
}
