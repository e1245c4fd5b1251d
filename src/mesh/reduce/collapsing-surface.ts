import type { IndexedMesh, ObjectRange } from '../mesh.js';
import { doubleAreaNormal } from '../spatial/double-normal.js';
import { nextOf, previousOf, triangleOf } from '../topology/half-edge.js';
import { WatchedPoints } from './watched-points.js';

const NONE = -1;
// Triangles flatter than this (height by longest side) are not made.
const LEAST_HEIGHT = 1e-5;
// However much may be bent: a triangle that turns further than this folds over.
const LEAST_COSINE = 0.2;
// What rounding makes of an angle of zero.
const COSINE_ERROR = 1e-9;

/** How far a surface may be changed. */
export interface Limits {
  accuracyMm: number;
  /** The most that the normal of a triangle may turn, in degrees. */
  maxAngle: number;
}

/**
 * A surface that loses vertices: each goes along an edge to one of its neighbours, and takes the two triangles at this edge with it. No
 * vertex moves to a place where none was, so flat parts stay exactly flat. Every change keeps the surface a manifold, turns no triangle
 * further from where it was at first than allowed, and keeps account of how far the surface has moved.
 */
export class CollapsingSurface {
  readonly positions: Float64Array;
  /** The corners of all triangles, also of those that are gone. */
  readonly triangles: Uint32Array;
  readonly accuracyMm: number;
  readonly #source: IndexedMesh;
  readonly #leastCosine: number;
  readonly #isGone: Uint8Array;
  /** triangle → its normal at first, of length one; zero where it had none */
  readonly #normals: Float32Array;
  /** vertex → its first corner; corner → the next corner at its vertex */
  readonly #firstCorner: Int32Array;
  readonly #nextCorner: Int32Array;
  readonly #watched: WatchedPoints;
  // Of the vertex that is looked at: the triangles round it, and those of them that stay, with the corner that changes.
  readonly #around: number[] = [];
  readonly #staying: number[] = [];
  readonly #corners: number[] = [];
  /** vertex → the number of the last question that it was met in */
  readonly #marks: Uint32Array;
  #question = 0;

  constructor(source: IndexedMesh, limits: Limits) {
    const vertexCount = source.positions.length / 3;
    const triangleCount = source.triangles.length / 3;
    this.#source = source;
    this.accuracyMm = limits.accuracyMm;
    this.#leastCosine = Math.max(LEAST_COSINE, Math.cos((limits.maxAngle * Math.PI) / 180) - COSINE_ERROR);
    this.positions = source.positions;
    this.triangles = source.triangles.slice();
    this.#isGone = new Uint8Array(triangleCount);
    this.#normals = new Float32Array(triangleCount * 3);
    this.#firstCorner = new Int32Array(vertexCount).fill(NONE);
    this.#nextCorner = new Int32Array(source.triangles.length);
    this.#watched = new WatchedPoints(this, limits.accuracyMm);
    this.#marks = new Uint32Array(vertexCount);
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
  remaining(): IndexedMesh {
    const left = this.#isGone.reduce((count, isGone) => count + 1 - isGone, 0);
    const triangles = new Uint32Array(left * 3);
    const before = new Uint32Array(this.#isGone.length + 1); // triangle → how many are left before it
    for (let triangle = 0, at = 0; triangle < this.#isGone.length; triangle++) {
      before[triangle] = at;
      before[triangle + 1] = at;
      if (this.#isGone[triangle] === 1) continue;
      triangles.set(this.triangles.subarray(triangle * 3, triangle * 3 + 3), at * 3);
      before[triangle + 1] = ++at;
    }
    const { objects } = this.#source;
    const kept = ({ name, firstTriangle, triangleCount }: ObjectRange): ObjectRange => {
      const first = before[firstTriangle];
      return { name, firstTriangle: first, triangleCount: before[firstTriangle + triangleCount] - first };
    };
    return { positions: this.positions, triangles, ...(objects && { objects: objects.map(kept) }) };
  }

  /** Writes the neighbours of a vertex with a closed fan into `found`; answers how many they are. */
  neighbours(vertex: number, found: Int32Array): number {
    let count = 0;
    for (let corner = this.#firstOf(vertex); corner !== NONE && count < found.length; corner = this.#after(corner)) {
      found[count++] = this.triangles[nextOf(corner)];
    }
    return count;
  }

  /** Whether `vertex` may go to its neighbour `target`. `isFlat`: the surface round it is flat, so it will be no farther away than it is. */
  canCollapse(vertex: number, target: number, isFlat: boolean): boolean {
    if (!this.#staysManifold(vertex, target)) return false;
    this.#lookRound(vertex, target);
    if (!this.#corners.every((corner) => this.#isGood(corner, target))) return false;
    if (isFlat) return this.#staying.length > 0;
    for (const corner of this.#corners) this.triangles[corner] = target;
    const isNear = this.#watched.stayNear(vertex, this.#around, this.#staying);
    for (const corner of this.#corners) this.triangles[corner] = vertex;
    return isNear;
  }

  /** Lets `vertex` go to its neighbour `target`. */
  collapse(vertex: number, target: number, isFlat: boolean): void {
    this.#lookRound(vertex, target);
    for (const triangle of this.#around) if (this.#has(triangle, target)) this.#isGone[triangle] = 1;
    for (const corner of this.#corners) {
      this.triangles[corner] = target;
      this.#nextCorner[corner] = this.#firstCorner[target];
      this.#firstCorner[target] = corner;
    }
    this.#firstCorner[vertex] = NONE;
    this.#watched.reassign(vertex, this.#around, this.#staying, isFlat);
  }

  /** Finds the triangles round a vertex, and which of them stay when it goes to `target`. */
  #lookRound(vertex: number, target: number): void {
    this.#around.length = 0;
    this.#staying.length = 0;
    this.#corners.length = 0;
    for (let corner = this.#firstOf(vertex); corner !== NONE; corner = this.#after(corner)) {
      const triangle = triangleOf(corner);
      this.#around.push(triangle);
      if (this.#has(triangle, target)) continue;
      this.#staying.push(triangle);
      this.#corners.push(corner);
    }
  }

  /** The neighbours that both have must be the two at their edge, and no two triangles may come to lie on each other. */
  #staysManifold(vertex: number, target: number): boolean {
    const question = ++this.#question;
    let left = NONE; // the vertices opposite to the edge
    let right = NONE;
    for (let corner = this.#firstOf(vertex); corner !== NONE; corner = this.#after(corner)) {
      const next = this.triangles[nextOf(corner)];
      const previous = this.triangles[previousOf(corner)];
      this.#marks[next] = question;
      if (next === target) left = previous;
      if (previous === target) right = next;
    }
    if (left === NONE || right === NONE || left === right) return false;
    for (let corner = this.#firstOf(target); corner !== NONE; corner = this.#after(corner)) {
      const next = this.triangles[nextOf(corner)];
      const previous = this.triangles[previousOf(corner)];
      const isNextOpposite = next === left || next === right;
      const isPreviousOpposite = previous === left || previous === right;
      if (isNextOpposite && isPreviousOpposite) return false;
      if (!isNextOpposite && next !== vertex && this.#marks[next] === question) return false;
      if (!isPreviousOpposite && previous !== vertex && this.#marks[previous] === question) return false;
    }
    return true;
  }

  /** Whether a triangle keeps some height, and faces where it faced at first, with its corner at `target`. */
  #isGood(corner: number, target: number): boolean {
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
    if (size <= LEAST_HEIGHT * longest) return false;
    const first = this.#normals;
    const at = triangleOf(corner) * 3;
    return nx * first[at] + ny * first[at + 1] + nz * first[at + 2] >= this.#leastCosine * size;
  }

  #has(triangle: number, vertex: number): boolean {
    const at = triangle * 3;
    return this.triangles[at] === vertex || this.triangles[at + 1] === vertex || this.triangles[at + 2] === vertex;
  }

  /** The first corner at a vertex whose triangle is there; those that are gone are dropped from the list on the way. */
  #firstOf(vertex: number): number {
    let corner = this.#firstCorner[vertex];
    while (corner !== NONE && this.#isGone[triangleOf(corner)] === 1) corner = this.#nextCorner[corner];
    this.#firstCorner[vertex] = corner;
    return corner;
  }

  /** The next corner at the same vertex whose triangle is there. */
  #after(corner: number): number {
    let next = this.#nextCorner[corner];
    while (next !== NONE && this.#isGone[triangleOf(next)] === 1) next = this.#nextCorner[next];
    this.#nextCorner[corner] = next;
    return next;
  }
}
