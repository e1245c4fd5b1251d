import { triangleOf } from '../topology/half-edge.js';
import { groupCornersByVertex, type VertexCorners } from '../topology/one-rings.js';
import type { ProjectedMesh } from './camera.js';

/** Crease angle: normals are smoothed only between triangles with a smaller dihedral angle. */
const CREASE_COSINE = Math.cos((35 * Math.PI) / 180);

/**
 * Triangles with less than this double area, in samples, are not smoothed. In a mesh of millions most are that small.
 */
const SMALL_AREA = 4;
/** At a vertex with more triangles, only this many contribute to the normal: such a fan is planar or a tip. */
const MAX_NEIGHBORS = 64;

/**
 * The number of triangles whose normals are cached, a power of two: more than a row of samples shows. Needles continue in
 * the next row, and each has up to `3 * MAX_NEIGHBORS` neighbors.
 */
const CACHE_SIZE = 2 ** 14;

/**
 * Interpolates vertex normals, weighted by area and limited by the crease angle. Caches the normals of triangles, since
 * neighboring samples mostly belong to the same ones.
 */
export class SmoothNormals {
  readonly #model: ProjectedMesh;
  readonly #cornersAt: VertexCorners;
  /** slot of the cache → its triangle, or -1 */
  readonly #cached = new Int32Array(CACHE_SIZE).fill(-1);
  /** slot of the cache * 9 → the unit normals at the corners of its triangle */
  readonly #corners = new Float64Array(CACHE_SIZE * 9);
  /** The index of the normals of `#triangle` in `#corners`. */
  #first = 0;
  /** The unit normal of `#triangle`. */
  readonly #flat = new Float64Array(3);
  readonly #other = new Float64Array(3);
  #triangle = -1;
  // Of `#triangle`, projected: the first corner, the sides from there, and the signed double area.
  #ax = 0;
  #ay = 0;
  #ux = 0;
  #uy = 0;
  #vx = 0;
  #vy = 0;
  #area = 0;

  constructor(model: ProjectedMesh) {
    this.#model = model;
    this.#cornersAt = groupCornersByVertex(model.triangles, model.points.length / 3);
  }

  /** Whether the front of a triangle faces the viewer. */
  isFront(triangle: number): boolean {
    if (triangle !== this.#triangle) this.#loadTriangle(triangle);
    return this.#area < 0; // y points down
  }

  /** Writes the unit normal of a triangle at a sample: x to the right, y down, z toward the viewer. */
  normalAt(triangle: number, x: number, y: number, normal: Float64Array): void {
    if (triangle !== this.#triangle) this.#loadTriangle(triangle);
    const corners = this.#corners;
    const first = this.#first;
    const [px, py] = [x - this.#ax, y - this.#ay];
    // Barycentric coordinates. They are clamped, since a sample at an edge may be slightly outside the triangle.
    const beta = Math.min(1, Math.max(0, (px * this.#vy - py * this.#vx) / this.#area));
    const gamma = Math.min(1 - beta, Math.max(0, (this.#ux * py - this.#uy * px) / this.#area));
    const alpha = 1 - beta - gamma;
    normal[0] = corners[first] * alpha + corners[first + 3] * beta + corners[first + 6] * gamma;
    normal[1] = corners[first + 1] * alpha + corners[first + 4] * beta + corners[first + 7] * gamma;
    normal[2] = corners[first + 2] * alpha + corners[first + 5] * beta + corners[first + 8] * gamma;
    normalize(normal, 0);
  }

  #loadTriangle(triangle: number): void {
    this.#triangle = triangle;
    const { points, triangles } = this.#model;
    const a = triangles[triangle * 3] * 3;
    const b = triangles[triangle * 3 + 1] * 3;
    const c = triangles[triangle * 3 + 2] * 3;
    this.#ax = points[a];
    this.#ay = points[a + 1];
    this.#ux = points[b] - points[a];
    this.#uy = points[b + 1] - points[a + 1];
    this.#vx = points[c] - points[a];
    this.#vy = points[c + 1] - points[a + 1];
    this.#area = this.#ux * this.#vy - this.#uy * this.#vx;
    const slot = triangle & (CACHE_SIZE - 1);
    this.#first = slot * 9;
    if (this.#cached[slot] === triangle) return;
    this.#cached[slot] = triangle;
    this.#writeCorners(triangle);
  }

  /** Writes the normals at the corners of a triangle, which has been loaded, to the cache. */
  #writeCorners(triangle: number): void {
    const { starts, corners } = this.#cornersAt;
    const { triangles } = this.#model;
    this.#writeNormal(triangle, this.#flat);
    normalize(this.#flat, 0);
    const sums = this.#corners.fill(0, this.#first, this.#first + 9);
    for (let k = 0; k < 3; k++) {
      const offset = this.#first + k * 3;
      if (Math.abs(this.#area) < SMALL_AREA) {
        sums.set(this.#flat, offset);
        continue;
      }
      const vertex = triangles[triangle * 3 + k];
      const end = Math.min(starts[vertex + 1], starts[vertex] + MAX_NEIGHBORS);
      for (let i = starts[vertex]; i < end; i++) this.#accumulateNormal(triangleOf(corners[i]), offset);
      if (sums[offset] === 0 && sums[offset + 1] === 0 && sums[offset + 2] === 0) sums.set(this.#flat, offset);
      normalize(sums, offset);
    }
  }

  /** Adds the normal of a neighbor, weighted by its area, unless the angle exceeds the crease angle. */
  #accumulateNormal(neighbor: number, offset: number): void {
    const flat = this.#flat;
    const other = this.#other;
    this.#writeNormal(neighbor, other);
    const size = Math.sqrt(other[0] * other[0] + other[1] * other[1] + other[2] * other[2]);
    if (flat[0] * other[0] + flat[1] * other[1] + flat[2] * other[2] < CREASE_COSINE * size) return;
    for (let k = 0; k < 3; k++) this.#corners[offset + k] += other[k];
  }

  /** Writes the normal of a triangle by its winding; its length is the double area. */
  #writeNormal(triangle: number, normal: Float64Array): void {
    const { points, triangles } = this.#model;
    const a = triangles[triangle * 3] * 3;
    const b = triangles[triangle * 3 + 1] * 3;
    const c = triangles[triangle * 3 + 2] * 3;
    const ux = points[b] - points[a];
    const uy = points[b + 1] - points[a + 1];
    const uz = points[b + 2] - points[a + 2];
    const vx = points[c] - points[a];
    const vy = points[c + 1] - points[a + 1];
    const vz = points[c + 2] - points[a + 2];
    // y points down, which mirrors the model: the cross product is negated.
    normal[0] = uz * vy - uy * vz;
    normal[1] = ux * vz - uz * vx;
    normal[2] = uy * vx - ux * vy;
  }
}

/** Normalizes the vector of three numbers at `offset`. */
function normalize(vector: Float64Array, offset: number): void {
  const length = Math.sqrt(
    vector[offset] * vector[offset] + vector[offset + 1] * vector[offset + 1] + vector[offset + 2] * vector[offset + 2],
  );
  if (length > 0) for (let k = offset; k < offset + 3; k++) vector[k] /= length;
}
