import type { IndexedMesh, ObjectRange } from '../core/mesh.js';
import { doubleAreaNormal } from '../geometry/double-area-normal.js';
import { nextOf, previousOf, triangleOf } from '../topology/half-edge.js';
import { TrackedPoints } from './tracked-points.js';

const NONE = -1;
/** A collapse must not create triangles with a smaller ratio of height to longest side. */
const MIN_HEIGHT_RATIO = 1e-5;
/** Lower limit of the cosine for any `maxAngle`: a triangle that rotates further would fold over. */
const MIN_COSINE = 0.2;
/** Tolerance of the cosine for rounding errors at an angle of zero. */
const COSINE_EPSILON = 1e-9;

/** Limits of a simplification. */
export interface SimplificationLimits {
  /** Maximum distance between the surfaces. */
  accuracyMm: number;
  /** Maximum rotation of the normal of a triangle, in degrees. */
  maxAngle: number;
}

/**
 * A mesh that is simplified by half-edge collapses: a vertex moves along an edge onto a neighbor, which removes the two
 * triangles at the edge. Vertices keep their positions, so that planar parts stay exactly planar. A collapse preserves
 * the manifold (link condition, Dey et al. 1999), limits the rotation of each triangle against its original normal, and
 * limits the distance from the original surface by tracked points.
 */
export class HalfEdgeCollapseMesh {
  readonly positions: Float64Array;
  /** The corners of all triangles, including removed ones. */
  readonly triangles: Uint32Array;
  readonly accuracyMm: number;
  readonly #source: IndexedMesh;
  readonly #minCosine: number;
  /** triangle → 1 if it was removed */
  readonly #isRemoved: Uint8Array;
  /** triangle → its original unit normal; zero if it was degenerate */
  readonly #normals: Float32Array;
  /** vertex → its first corner; corner → the next corner at its vertex */
  readonly #firstCorner: Int32Array;
  readonly #nextCorner: Int32Array;
  readonly #trackedPoints: TrackedPoints;
  /** The triangles around the vertex of the current collapse. */
  readonly #oneRing: number[] = [];
  /** The triangles of `#oneRing` that the collapse keeps. */
  readonly #survivors: number[] = [];
  /** The corner of each survivor that moves to the target. */
  readonly #corners: number[] = [];
  /** vertex → the value of `#stamp` when it was last visited */
  readonly #visitStamps: Uint32Array;
  #stamp = 0;

  constructor(source: IndexedMesh, limits: SimplificationLimits) {
    const vertexCount = source.positions.length / 3;
    const triangleCount = source.triangles.length / 3;
    this.#source = source;
    this.accuracyMm = limits.accuracyMm;
    this.#minCosine = Math.max(MIN_COSINE, Math.cos((limits.maxAngle * Math.PI) / 180) - COSINE_EPSILON);
    this.positions = source.positions;
    this.triangles = source.triangles.slice();
    this.#isRemoved = new Uint8Array(triangleCount);
    this.#normals = new Float32Array(triangleCount * 3);
    this.#firstCorner = new Int32Array(vertexCount).fill(NONE);
    this.#nextCorner = new Int32Array(source.triangles.length);
    this.#trackedPoints = new TrackedPoints(this, limits.accuracyMm);
    this.#visitStamps = new Uint32Array(vertexCount);
    for (let corner = source.triangles.length - 1; corner >= 0; corner--) {
      this.#nextCorner[corner] = this.#firstCorner[source.triangles[corner]];
      this.#firstCorner[source.triangles[corner]] = corner;
    }
    for (let triangle = 0; triangle < triangleCount; triangle++) {
      const normal = doubleAreaNormal(source.positions, source.triangles, triangle);
      const size = Math.hypot(...normal) || 1;
      this.#normals.set(
        normal.map((part) => part / size),
        triangle * 3,
      );
    }
  }

  /** Returns the remaining triangles in their order, with their objects. Vertices keep their indices. */
  toMesh(): IndexedMesh {
    const toMesh = this.#isRemoved.reduce((count, isRemoved) => count + 1 - isRemoved, 0);
    const triangles = new Uint32Array(toMesh * 3);
    /** triangle → number of remaining triangles before it */
    const remainingBefore = new Uint32Array(this.#isRemoved.length + 1);
    for (let triangle = 0, index = 0; triangle < this.#isRemoved.length; triangle++) {
      remainingBefore[triangle] = index;
      remainingBefore[triangle + 1] = index;
      if (this.#isRemoved[triangle] === 1) continue;
      triangles.set(this.triangles.subarray(triangle * 3, triangle * 3 + 3), index * 3);
      remainingBefore[triangle + 1] = ++index;
    }
    const { objects } = this.#source;
    const toRemainingRange = ({ name, firstTriangle, triangleCount }: ObjectRange): ObjectRange => {
      const normals = remainingBefore[firstTriangle];
      return { name, firstTriangle: normals, triangleCount: remainingBefore[firstTriangle + triangleCount] - normals };
    };
    return { positions: this.positions, triangles, ...(objects && { objects: objects.map(toRemainingRange) }) };
  }

  /**
   * Writes the neighbors of a vertex with a closed fan into `target`. Returns their number, at most the length of
   * `target`.
   */
  neighbors(vertex: number, target: Int32Array): number {
    let count = 0;
    for (
      let corner = this.#firstLiveCorner(vertex);
      corner !== NONE && count < target.length;
      corner = this.#nextLiveCorner(corner)
    ) {
      target[count++] = this.triangles[nextOf(corner)];
    }
    return count;
  }

  /**
   * Whether `vertex` can collapse to its neighbor `target`. `isFlat`: the surface around it is flat, so that the
   * distance from the original surface need not be checked.
   */
  canCollapse(vertex: number, target: number, isFlat: boolean): boolean {
    if (!this.#satisfiesLinkCondition(vertex, target)) return false;
    this.#collectOneRing(vertex, target);
    if (!this.#corners.every((corner) => this.#isAcceptable(corner, target))) return false;
    if (isFlat) return this.#survivors.length > 0;
    for (const corner of this.#corners) this.triangles[corner] = target;
    const isNear = this.#trackedPoints.staysWithinLimit(vertex, this.#oneRing, this.#survivors);
    for (const corner of this.#corners) this.triangles[corner] = vertex;
    return isNear;
  }

  /** Collapses `vertex` to its neighbor `target`. */
  collapse(vertex: number, target: number, isFlat: boolean): void {
    this.#collectOneRing(vertex, target);
    for (const triangle of this.#oneRing) if (this.#has(triangle, target)) this.#isRemoved[triangle] = 1;
    for (const corner of this.#corners) {
      this.triangles[corner] = target;
      this.#nextCorner[corner] = this.#firstCorner[target];
      this.#firstCorner[target] = corner;
    }
    this.#firstCorner[vertex] = NONE;
    this.#trackedPoints.reassign(vertex, this.#oneRing, this.#survivors, isFlat);
  }

  /** Collects the triangles around a vertex, and those that remain after its collapse to `target`. */
  #collectOneRing(vertex: number, target: number): void {
    this.#oneRing.length = 0;
    this.#survivors.length = 0;
    this.#corners.length = 0;
    for (let corner = this.#firstLiveCorner(vertex); corner !== NONE; corner = this.#nextLiveCorner(corner)) {
      const triangle = triangleOf(corner);
      this.#oneRing.push(triangle);
      if (this.#has(triangle, target)) continue;
      this.#survivors.push(triangle);
      this.#corners.push(corner);
    }
  }

  /**
   * Whether the collapse preserves the manifold (link condition, Dey et al. 1999): the only common neighbors of both
   * vertices are the two opposite their edge. Also rejects a collapse that would make two triangles coincide.
   */
  #satisfiesLinkCondition(vertex: number, target: number): boolean {
    const stamp = ++this.#stamp;
    let left = NONE; // the vertices opposite the edge
    let right = NONE;
    for (let corner = this.#firstLiveCorner(vertex); corner !== NONE; corner = this.#nextLiveCorner(corner)) {
      const next = this.triangles[nextOf(corner)];
      const previous = this.triangles[previousOf(corner)];
      this.#visitStamps[next] = stamp;
      if (next === target) left = previous;
      if (previous === target) right = next;
    }
    if (left === NONE || right === NONE || left === right) return false;
    for (let corner = this.#firstLiveCorner(target); corner !== NONE; corner = this.#nextLiveCorner(corner)) {
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

  /** Whether a triangle with its corner moved to `target` is not too thin and not rotated beyond the limit. */
  #isAcceptable(corner: number, target: number): boolean {
    const positions = this.positions;
    const a = target * 3;
    const b = this.triangles[nextOf(corner)] * 3;
    const c = this.triangles[previousOf(corner)] * 3;
    const [ux, uy, uz] = [
      positions[b] - positions[a],
      positions[b + 1] - positions[a + 1],
      positions[b + 2] - positions[a + 2],
    ];
    const [vx, vy, vz] = [
      positions[c] - positions[a],
      positions[c + 1] - positions[a + 1],
      positions[c + 2] - positions[a + 2],
    ];
    const [wx, wy, wz] = [vx - ux, vy - uy, vz - uz];
    const nx = uy * vz - uz * vy;
    const ny = uz * vx - ux * vz;
    const nz = ux * vy - uy * vx;
    const size = Math.sqrt(nx * nx + ny * ny + nz * nz);
    const longest = Math.max(ux * ux + uy * uy + uz * uz, vx * vx + vy * vy + vz * vz, wx * wx + wy * wy + wz * wz);
    if (size <= MIN_HEIGHT_RATIO * longest) return false;
    const normals = this.#normals;
    const offset = triangleOf(corner) * 3;
    return nx * normals[offset] + ny * normals[offset + 1] + nz * normals[offset + 2] >= this.#minCosine * size;
  }

  #has(triangle: number, vertex: number): boolean {
    const offset = triangle * 3;
    return (
      this.triangles[offset] === vertex ||
      this.triangles[offset + 1] === vertex ||
      this.triangles[offset + 2] === vertex
    );
  }

  /** Returns the first corner at a vertex whose triangle remains. Drops corners of removed triangles from the list. */
  #firstLiveCorner(vertex: number): number {
    let corner = this.#firstCorner[vertex];
    while (corner !== NONE && this.#isRemoved[triangleOf(corner)] === 1) corner = this.#nextCorner[corner];
    this.#firstCorner[vertex] = corner;
    return corner;
  }

  /**
   * Returns the next corner at the same vertex whose triangle remains. Drops corners of removed triangles from the
   * list.
   */
  #nextLiveCorner(corner: number): number {
    let next = this.#nextCorner[corner];
    while (next !== NONE && this.#isRemoved[triangleOf(next)] === 1) next = this.#nextCorner[next];
    this.#nextCorner[corner] = next;
    return next;
  }
}
