import type { IndexedMesh, ObjectRange } from '../core/mesh.js';
import { doubleAreaNormal } from '../geometry/double-area-normal.js';
import { nextOf, previousOf, triangleOf } from '../topology/half-edge.js';
import { TrackedPoints } from './tracked-points.js';

const NONE = -1;
// Triangles flatter than this (height by longest side) are not made.
const MIN_HEIGHT_RATIO = 1e-5;
// However much may be bent: a triangle that turns further than this folds over.
const MIN_COSINE = 0.2;
// What rounding makes of an angle of zero.
const COSINE_EPSILON = 1e-9;

/** How far a surface may be changed. */
export interface SimplificationLimits {
  accuracyMm: number;
  /** The most that the normal of a triangle may turn, in degrees. */
  maxAngle: number;
}

/**
 * A surface that loses vertices: each goes along an edge to one of its neighbours, and takes the two triangles at this edge with it. No
 * vertex moves to a place where none was, so flat parts stay exactly flat. Every change keeps the surface a manifold, turns no triangle
 * further from where it was at first than allowed, and keeps account of how far the surface has moved.
 */
export class HalfEdgeCollapseMesh {
  readonly positions: Float64Array;
  /** The corners of all triangles, also of those that are gone. */
  readonly triangles: Uint32Array;
  readonly accuracyMm: number;
  readonly #source: IndexedMesh;
  readonly #minCosine: number;
  readonly #isRemoved: Uint8Array;
  /** triangle → its normal at first, of length one; zero where it had none */
  readonly #normals: Float32Array;
  /** vertex → its first corner; corner → the next corner at its vertex */
  readonly #firstCorner: Int32Array;
  readonly #nextCorner: Int32Array;
  readonly #trackedPoints: TrackedPoints;
  // Of the vertex that is looked at: the triangles round it, and those of them that stay, with the corner that changes.
  readonly #oneRing: number[] = [];
  readonly #survivors: number[] = [];
  readonly #corners: number[] = [];
  /** vertex → the number of the last question that it was met in */
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

  /** The triangles that are left, in their order, with the objects they belong to. Vertices keep their numbers. */
  toMesh(): IndexedMesh {
    const remaining = this.#isRemoved.reduce((count, isGone) => count + 1 - isGone, 0);
    const triangles = new Uint32Array(remaining * 3);
    const before = new Uint32Array(this.#isRemoved.length + 1); // triangle → how many are left before it
    for (let triangle = 0, index = 0; triangle < this.#isRemoved.length; triangle++) {
      before[triangle] = index;
      before[triangle + 1] = index;
      if (this.#isRemoved[triangle] === 1) continue;
      triangles.set(this.triangles.subarray(triangle * 3, triangle * 3 + 3), index * 3);
      before[triangle + 1] = ++index;
    }
    const { objects } = this.#source;
    const kept = ({ name, firstTriangle, triangleCount }: ObjectRange): ObjectRange => {
      const first = before[firstTriangle];
      return { name, firstTriangle: first, triangleCount: before[firstTriangle + triangleCount] - first };
    };
    return { positions: this.positions, triangles, ...(objects && { objects: objects.map(kept) }) };
  }

  /** Writes the neighbours of a vertex with a closed fan into `target`; answers how many they are. */
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

  /** Whether `vertex` may go to its neighbour `target`. `isFlat`: the surface round it is flat, so it will be no farther away than it is. */
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

  /** Lets `vertex` go to its neighbour `target`. */
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

  /** Finds the triangles round a vertex, and which of them stay when it goes to `target`. */
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

  /** The neighbours that both have must be the two at their edge, and no two triangles may come to lie on each other. */
  #satisfiesLinkCondition(vertex: number, target: number): boolean {
    const question = ++this.#stamp;
    let left = NONE; // the vertices opposite to the edge
    let right = NONE;
    for (let corner = this.#firstLiveCorner(vertex); corner !== NONE; corner = this.#nextLiveCorner(corner)) {
      const next = this.triangles[nextOf(corner)];
      const previous = this.triangles[previousOf(corner)];
      this.#visitStamps[next] = question;
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
      if (!isNextOpposite && next !== vertex && this.#visitStamps[next] === question) return false;
      if (!isPreviousOpposite && previous !== vertex && this.#visitStamps[previous] === question) return false;
    }
    return true;
  }

  /** Whether a triangle keeps some height, and faces where it faced at first, with its corner at `target`. */
  #isAcceptable(corner: number, target: number): boolean {
    const p = this.positions;
    const a = target * 3;
    const b = this.triangles[nextOf(corner)] * 3;
    const c = this.triangles[previousOf(corner)] * 3;
    const [ux, uy, uz] = [p[b] - p[a], p[b + 1] - p[a + 1], p[b + 2] - p[a + 2]];
    const [vx, vy, vz] = [p[c] - p[a], p[c + 1] - p[a + 1], p[c + 2] - p[a + 2]];
    const [wx, wy, wz] = [vx - ux, vy - uy, vz - uz];
    const nx = uy * vz - uz * vy;
    const ny = uz * vx - ux * vz;
    const nz = ux * vy - uy * vx;
    const size = Math.sqrt(nx * nx + ny * ny + nz * nz);
    const longest = Math.max(ux * ux + uy * uy + uz * uz, vx * vx + vy * vy + vz * vz, wx * wx + wy * wy + wz * wz);
    if (size <= MIN_HEIGHT_RATIO * longest) return false;
    const first = this.#normals;
    const offset = triangleOf(corner) * 3;
    return nx * first[offset] + ny * first[offset + 1] + nz * first[offset + 2] >= this.#minCosine * size;
  }

  #has(triangle: number, vertex: number): boolean {
    const offset = triangle * 3;
    return (
      this.triangles[offset] === vertex ||
      this.triangles[offset + 1] === vertex ||
      this.triangles[offset + 2] === vertex
    );
  }

  /** The first corner at a vertex whose triangle is there; those that are gone are dropped from the list on the way. */
  #firstLiveCorner(vertex: number): number {
    let corner = this.#firstCorner[vertex];
    while (corner !== NONE && this.#isRemoved[triangleOf(corner)] === 1) corner = this.#nextCorner[corner];
    this.#firstCorner[vertex] = corner;
    return corner;
  }

  /** The next corner at the same vertex whose triangle is there. */
  #nextLiveCorner(corner: number): number {
    let next = this.#nextCorner[corner];
    while (next !== NONE && this.#isRemoved[triangleOf(next)] === 1) next = this.#nextCorner[next];
    this.#nextCorner[corner] = next;
    return next;
  }
}
