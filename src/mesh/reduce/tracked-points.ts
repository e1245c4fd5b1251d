import type { MeshGeometry } from '../core/mesh.js';
import { squaredDistanceToTriangle } from '../geometry/point-triangle-distance.js';
import { forEachSamplePoint, longestEdgeLength, writeBarycentricPoint } from '../geometry/sample-triangle.js';

const NONE = -1;
/** Maximum number of points along each side of a large triangle. */
const MAX_DIVISIONS = 4;
/** Maximum number of points that a triangle has after a collapse. More would hardly constrain it further. */
const MAX_POINTS_PER_TRIANGLE = 8;
/** The same limit where the surface is flat. */
const MAX_POINTS_PER_FLAT_TRIANGLE = 2;

/** Distance between the points on a large triangle, in multiples of the limit. */
const SPACING_FACTOR = 4;
/**
 * A point is assigned to the first triangle within this fraction of the limit. If there is none, it is assigned to the
 * first triangle within the limit.
 */
const CLOSE_FRACTION = 0.3;

/**
 * Points of the original surface, each assigned to a nearby triangle of the current surface. A collapse is rejected if
 * a point would be farther than the limit from the triangles that the collapse changes (R. Klein, G. Liebich, W.
 * Straßer: Mesh Reduction with Error Control, 1996). The points are the removed vertices, and samples on large
 * triangles.
 *
 * The paper limits the distance of the surfaces themselves. Here only the points are tested, and each triangle keeps a
 * few of them. The distance may therefore be larger between the points.
 */
export class TrackedPoints {
  readonly #surface: MeshGeometry;
  /** point → x, y, z in mm; the vertices come first, with their own indices, then the samples */
  readonly #points: Float64Array;
  /** triangle → its first point, or `NONE` */
  readonly #firstPoint: Int32Array;
  /** point → the next point of the same triangle, or `NONE` */
  readonly #nextPoint: Int32Array;
  readonly #limitMm: number;
  /** index in `remaining` → number of points assigned to the triangle by the current call of `reassign` */
  readonly #counts: number[] = [];

  /**
   * Samples the large triangles of a surface.
   *
   * @param surface the current surface; its `triangles` may change between calls
   * @param limitMm maximum distance of a point from the surface
   */
  constructor(surface: MeshGeometry, limitMm: number) {
    const spacingMm = limitMm * SPACING_FACTOR;
    const { positions, triangles } = surface;
    this.#surface = surface;
    this.#limitMm = limitMm;
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
        this.#assign(triangle, point++);
      });
    }
  }

  /**
   * Returns whether all points of a one-ring, and its center, are within the limit of at least one remaining triangle.
   *
   * @param vertex the vertex that a collapse removes
   * @param oneRing the triangles around `vertex`
   * @param remaining the triangles of `oneRing` that remain, with their corners after the collapse
   */
  areWithinLimit(vertex: number, oneRing: readonly number[], remaining: readonly number[]): boolean {
    if (this.#findTriangleNear(vertex, remaining, this.#limitMm) === NONE) return false;
    for (const triangle of oneRing) {
      for (let point = this.#firstPoint[triangle]; point !== NONE; point = this.#nextPoint[point]) {
        if (this.#findTriangleNear(point, remaining, this.#limitMm) === NONE) return false;
      }
    }
    return true;
  }

  /**
   * Assigns the points of a one-ring, and its center, to the remaining triangles. Drops the points beyond the maximum
   * number per triangle.
   *
   * @param vertex the vertex that a collapse removed
   * @param oneRing the triangles around `vertex` before the collapse
   * @param remaining the triangles of `oneRing` that remain, with their corners after the collapse
   * @param isFlat whether the surface at `vertex` was flat
   */
  reassign(vertex: number, oneRing: readonly number[], remaining: readonly number[], isFlat: boolean): void {
    const maxCount = isFlat ? MAX_POINTS_PER_FLAT_TRIANGLE : MAX_POINTS_PER_TRIANGLE;
    const points = [vertex];
    for (const triangle of oneRing) {
      for (let point = this.#firstPoint[triangle]; point !== NONE; point = this.#nextPoint[point]) points.push(point);
      this.#firstPoint[triangle] = NONE;
    }
    this.#counts.length = 0;
    for (const point of points) {
      const closeIndex = this.#findTriangleNear(point, remaining, this.#limitMm * CLOSE_FRACTION);
      const index = closeIndex === NONE ? this.#findTriangleNear(point, remaining, this.#limitMm) : closeIndex;
      if (index === NONE) continue; // occurs only where the surface is flat: the points were not checked
      const count = (this.#counts[index] ?? 0) + 1;
      this.#counts[index] = count;
      if (count <= maxCount) this.#assign(remaining[index], point);
    }
  }

  /** Finds the first triangle within `maxDistanceMm` of a point. Returns its index in `triangles`, or `NONE`. */
  #findTriangleNear(point: number, triangles: readonly number[], maxDistanceMm: number): number {
    const p = this.#points;
    const [x, y, z] = [p[point * 3], p[point * 3 + 1], p[point * 3 + 2]];
    const maxSquared = maxDistanceMm * maxDistanceMm;
    for (let index = 0; index < triangles.length; index++) {
      if (squaredDistanceToTriangle(this.#surface, triangles[index] * 3, x, y, z) <= maxSquared) return index;
    }
    return NONE;
  }

  #assign(triangle: number, point: number): void {
    this.#nextPoint[point] = this.#firstPoint[triangle];
    this.#firstPoint[triangle] = point;
  }
}
