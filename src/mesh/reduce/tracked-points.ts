import type { MeshGeometry } from '../core/mesh.js';
import { forEachSamplePoint, longestEdgeLength, writeBarycentricPoint } from '../geometry/sample-triangle.js';
import { squaredDistanceToTriangle } from '../spatial/distance-query.js';

const NONE = -1;
// Of a triangle that is large compared with what is allowed, this many points along a side are watched.
const MAX_DIVISIONS = 4;
// Of a triangle with more points than this some are no longer watched: its shape is held by those that are.
const MAX_POINTS = 8;
const MAX_POINTS_IF_FLAT = 2;

// Points on large triangles are this many times what is allowed apart.
const SPACING = 4;
// A triangle that is nearer than this share of what is allowed is as good as the nearest one.
const CLOSE_FRACTION = 0.3;

/**
 * Points of the surface as it was at first, each with the triangle that is near it now: no change may leave one of them farther away than
 * is allowed (R. Klein, G. Liebich, W. Straßer, Mesh reduction with error control, 1996). They are the vertices that went, and points on
 * triangles that are long; not all of them, where many come together.
 */
export class TrackedPoints {
  readonly #surface: MeshGeometry;
  /** x, y, z of each point: first of all vertices, then of the others */
  readonly #points: Float64Array;
  /** triangle → its first point; point → the next point at its triangle */
  readonly #firstPoint: Int32Array;
  readonly #nextPoint: Int32Array;

  readonly #limit: number;
  /** How many points each triangle of a list was given. */
  readonly #counts: number[] = [];

  /** `limitMm`: how far a point may be from the surface. */
  constructor(surface: MeshGeometry, limitMm: number) {
    const spacingMm = limitMm * SPACING;
    const { positions, triangles } = surface;
    this.#surface = surface;
    this.#limit = limitMm;
    this.#firstPoint = new Int32Array(triangles.length / 3).fill(NONE);
    const divisions = Uint8Array.from(this.#firstPoint, (_, triangle) =>
      Math.min(MAX_DIVISIONS, Math.floor(longestEdgeLength(surface, triangle) / spacingMm)),
    );
    const extra = divisions.reduce((count, n) => count + (n * (n + 1)) / 2, 0);
    this.#points = new Float64Array(positions.length + extra * 3);
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
   * Whether all points at the triangles `from`, and the vertex that goes, are near enough to one of the triangles `to`, whose corners are
   * already those after the change.
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

  /** Moves the points at the triangles `from`, and the vertex that went, to those of the triangles `to` that are near them. */
  reassign(vertex: number, from: readonly number[], to: readonly number[], isFlat: boolean): void {
    const maxCount = isFlat ? MAX_POINTS_IF_FLAT : MAX_POINTS;
    const points = [vertex];
    for (const triangle of from) {
      for (let point = this.#firstPoint[triangle]; point !== NONE; point = this.#nextPoint[point]) points.push(point);
      this.#firstPoint[triangle] = NONE;
    }
    this.#counts.length = 0;
    for (const point of points) {
      const close = this.#findNear(point, to, this.#limit * CLOSE_FRACTION);
      const index = close === NONE ? this.#findNear(point, to, this.#limit) : close;
      if (index === NONE) continue; // round a flat place nobody looked
      const count = (this.#counts[index] ?? 0) + 1;
      this.#counts[index] = count;
      if (count <= maxCount) this.#add(to[index], point);
    }
  }

  /** The place in the list of a triangle that is this near to a point; `NONE` where there is none. */
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
