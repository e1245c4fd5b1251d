import type { MeshGeometry } from '../core/mesh.js';
import { forEachSamplePoint, longestEdgeLength, writeBarycentricPoint } from '../geometry/sample-triangle.js';
import { squaredDistanceToTriangle } from '../spatial/distance-query.js';

const NONE = -1;
/** On a large triangle, at most this many points along each side are tracked. */
const MAX_DIVISIONS = 4;
/** A triangle keeps at most this many points after a collapse: they suffice to constrain it. */
const MAX_POINTS = 8;
/** The same limit where the surface is flat. */
const MAX_POINTS_IF_FLAT = 2;

/** Distance between points on large triangles, in multiples of the limit. */
const SPACING = 4;
/** A point is assigned to the first triangle closer than this fraction of the limit. */
const CLOSE_FRACTION = 0.3;

/**
 * Points of the original surface, each assigned to a nearby triangle of the current one. No collapse may leave a point
 * farther away than the limit (Klein et al., Mesh reduction with error control, 1996). The points are the removed
 * vertices and samples on large triangles. Where many accumulate, some are dropped.
 */
export class TrackedPoints {
  readonly #surface: MeshGeometry;
  /** x, y, z of each point: all vertices, then the samples */
  readonly #points: Float64Array;
  /** triangle → its first point */
  readonly #firstPoint: Int32Array;
  /** point → the next point of the same triangle */
  readonly #nextPoint: Int32Array;

  readonly #limit: number;
  /** index in the list of surviving triangles → number of points assigned to it by the current collapse */
  readonly #counts: number[] = [];

  /** `limitMm`: maximum distance of a point from the surface. */
  constructor(surface: MeshGeometry, limitMm: number) {
    const spacingMm = limitMm * SPACING;
    const { positions, triangles } = surface;
    this.#surface = surface;
    this.#limit = limitMm;
    this.#firstPoint = new Int32Array(triangles.length / 3).fill(NONE);
    const divisions = Uint8Array.from(this.#firstPoint, (_, triangle) =>
      Math.min(MAX_DIVISIONS, Math.floor(longestEdgeLength(surface, triangle) / spacingMm)),
    );
    const sampleCount = divisions.reduce((count, n) => count + (n * (n + 1)) / 2, 0);
    this.#points = new Float64Array(positions.length + sampleCount * 3);
    this.#points.set(positions);
    this.#nextPoint = new Int32Array(this.#points.length / 3).fill(NONE);
    let point = positions.length / 3;
    for (let triangle = 0; triangle < divisions.length; triangle++) {
      forEachSamplePoint(divisions[triangle], (s, t) => {
        writeBarycentricPoint(surface, triangle, s, t, this.#points, point * 3);
        this.#add(triangle, point++);
      });
    }
  }

  /**
   * Whether all points of the triangles `from`, and the removed vertex, are within the limit of one of the triangles
   * `to`, whose corners are already those after the collapse.
   */
  staysWithinLimit(vertex: number, from: readonly number[], to: readonly number[]): boolean {
    if (this.#findNear(vertex, to, this.#limit) === NONE) return false;
    for (const triangle of from) {
      for (let point = this.#firstPoint[triangle]; point !== NONE; point = this.#nextPoint[point]) {
        if (this.#findNear(point, to, this.#limit) === NONE) return false;
      }
    }
    return true;
  }

  /** Assigns the points of the triangles `from`, and the removed vertex, to nearby triangles of `to`. */
  reassign(vertex: number, from: readonly number[], to: readonly number[], isFlat: boolean): void {
    const maxCount = isFlat ? MAX_POINTS_IF_FLAT : MAX_POINTS;
    const points = [vertex];
    for (const triangle of from) {
      for (let point = this.#firstPoint[triangle]; point !== NONE; point = this.#nextPoint[point]) points.push(point);
      this.#firstPoint[triangle] = NONE;
    }
    this.#counts.length = 0;
    for (const point of points) {
      const closeIndex = this.#findNear(point, to, this.#limit * CLOSE_FRACTION);
      const index = closeIndex === NONE ? this.#findNear(point, to, this.#limit) : closeIndex;
      if (index === NONE) continue; // only after a collapse in a flat part, which is not checked
      const count = (this.#counts[index] ?? 0) + 1;
      this.#counts[index] = count;
      if (count <= maxCount) this.#add(to[index], point);
    }
  }

  /** Returns the index in the list of the first triangle within `limit` of a point, or `NONE`. */
  #findNear(point: number, triangles: readonly number[], limit: number): number {
    const p = this.#points;
    const [x, y, z] = [p[point * 3], p[point * 3 + 1], p[point * 3 + 2]];
    const square = limit * limit;
    for (let index = 0; index < triangles.length; index++) {
      if (squaredDistanceToTriangle(this.#surface, triangles[index] * 3, x, y, z) <= square) return index;
    }
    return NONE;
  }

  #add(triangle: number, point: number): void {
    this.#nextPoint[point] = this.#firstPoint[triangle];
    this.#firstPoint[triangle] = point;
  }
}
