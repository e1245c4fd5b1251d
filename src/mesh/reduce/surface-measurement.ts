import type { MeshGeometry } from '../core/mesh.js';
import { forEachSamplePoint, longestEdgeLength, writeBarycentricPoint } from '../geometry/sample-triangle.js';
import type { DistanceQuery } from '../spatial/distance-query.js';
import type { Deviation, MeasuredSurface, MeasureLimits } from './measure-deviation.js';

const NONE = -1;
const NOT_MEASURED = -2;
/** Maximum number of sample points along each side of a triangle. */
const MAX_DIVISIONS = 5;
/** divisions → two barycentric weights of each sample point */
const SAMPLE_WEIGHTS = Array.from({ length: MAX_DIVISIONS + 1 }, (_, divisions) => {
  const weights: number[] = [];
  forEachSamplePoint(divisions, (s, t) => weights.push(s, t));
  return Float64Array.from(weights);
});
/** At most this many outliers are returned. */
const MAX_OUTLIERS = 10_000;

/** Measures the points of one surface: see `measureFrom`. */
export class SurfaceMeasurement {
  readonly #mesh: MeshGeometry;
  readonly #hints: Int32Array | undefined;
  readonly #to: DistanceQuery;
  readonly #limits: MeasureLimits;
  readonly #result: Deviation;
  readonly #onOutlier: ((triangle: number) => void) | undefined;
  readonly #point = new Float64Array(3);
  /** vertex → the triangle near it, or `NONE` */
  readonly #nearest: Int32Array;
  /** The triangle that is measured. */
  #triangle = 0;
  /** Up to this distance, those at the points of the triangle need not be exact. */
  #sufficientSquared = 0;

  /**
   * @param to answers distance queries against the other surface
   * @param onOutlier receives each triangle that has a point beyond the limit
   */
  constructor(
    { mesh, hints }: MeasuredSurface,
    to: DistanceQuery,
    limits: MeasureLimits,
    result: Deviation,
    onOutlier?: (triangle: number) => void,
  ) {
    this.#mesh = mesh;
    this.#hints = hints;
    this.#to = to;
    this.#limits = limits;
    this.#result = result;
    this.#onOutlier = onOutlier;
    this.#nearest = new Int32Array(mesh.positions.length / 3).fill(NOT_MEASURED);
  }

  /** Measures the points of a triangle, except those that an earlier triangle shares. */
  measureTriangle(triangle: number): void {
    const { triangles } = this.#mesh;
    const nearest = this.#nearest;
    const a = triangles[triangle * 3];
    const b = triangles[triangle * 3 + 1];
    const c = triangles[triangle * 3 + 2];
    this.#triangle = triangle;
    this.#measureVertex(a);
    this.#measureVertex(b);
    this.#measureVertex(c);
    this.#sufficientSquared = this.#computeSufficientMm() ** 2;
    for (let k = 0; k < 3; k++) {
      const candidate = nearest[triangles[triangle * 3 + k]];
      if (candidate !== NONE && this.#isNear(candidate, a) && this.#isNear(candidate, b) && this.#isNear(candidate, c))
        return;
    }
    this.#measureEdge(a, b);
    this.#measureEdge(b, c);
    this.#measureEdge(c, a);
    this.#measureInside(triangle);
  }

  #measureVertex(vertex: number): void {
    if (this.#nearest[vertex] !== NOT_MEASURED) return;
    const { positions } = this.#mesh;
    if (this.#hints) this.#to.nearest = this.#hints[vertex];
    const [x, y, z] = [positions[vertex * 3], positions[vertex * 3 + 1], positions[vertex * 3 + 2]];
    this.#nearest[vertex] = this.#measurePoint(x, y, z);
  }

  /** Measures points of an edge, in one of its two directions. An edge that bridges a notch is the farthest there. */
  #measureEdge(a: number, b: number): void {
    if (a > b) return;
    const nearest = this.#nearest;
    if (nearest[a] !== NONE && this.#isNear(nearest[a], b)) return;
    if (nearest[b] !== NONE && this.#isNear(nearest[b], a)) return;
    const { positions } = this.#mesh;
    const dx = positions[b * 3] - positions[a * 3];
    const dy = positions[b * 3 + 1] - positions[a * 3 + 1];
    const dz = positions[b * 3 + 2] - positions[a * 3 + 2];
    const spacingMm = 4 * this.#limits.limitMm;
    const divisions = Math.min(MAX_DIVISIONS, Math.ceil(Math.sqrt(dx * dx + dy * dy + dz * dz) / spacingMm));
    for (let i = 0; i < divisions; i++) {
      const t = (i + 0.5) / divisions;
      const [x, y, z] = [positions[a * 3] + dx * t, positions[a * 3 + 1] + dy * t, positions[a * 3 + 2] + dz * t];
      if (i === 0) this.#startNear(nearest[a], nearest[b], x, y, z);
      this.#measurePoint(x, y, z);
    }
  }

  /**
   * Starts the next search near one of two triangles of the other surface. That of a vertex of very many triangles may be
   * far from an edge at it.
   */
  #startNear(first: number, second: number, x: number, y: number, z: number): void {
    const to = this.#to;
    if (first !== NONE) to.nearest = first;
    if (second !== NONE) to.startNearer(second, x, y, z, this.#computeSufficientMm());
  }

  /** Measures points inside a triangle. */
  #measureInside(triangle: number): void {
    const point = this.#point;
    const divisions = Math.ceil(longestEdgeLength(this.#mesh, triangle) / (4 * this.#limits.limitMm));
    const weights = SAMPLE_WEIGHTS[Math.min(MAX_DIVISIONS, Math.max(1, divisions))];
    for (let i = 0; i < weights.length; i += 2) {
      writeBarycentricPoint(this.#mesh, triangle, weights[i], weights[i + 1], point);
      this.#measurePoint(point[0], point[1], point[2]);
    }
  }

  /** Measures a point. Returns the triangle that is near it, or `NONE` for an outlier. */
  #measurePoint(x: number, y: number, z: number): number {
    const result = this.#result;
    const distanceMm = this.#to.distanceAt(x, y, z, this.#computeSufficientMm());
    if (distanceMm > result.maxDistanceMm) result.maxDistanceMm = distanceMm;
    if (distanceMm <= this.#limits.limitMm) {
      if (distanceMm > result.maxWithinLimitMm) {
        result.maxWithinLimitMm = distanceMm;
        result.farthest = this.#triangle;
      }
      return this.#to.nearest;
    }
    if (result.outliers.length < MAX_OUTLIERS) result.outliers.push({ x, y, z, distanceMm });
    this.#onOutlier?.(this.#triangle);
    return NONE;
  }

  /** Returns the distance up to which distances need not be exact: they are neither the largest nor that of an outlier. */
  #computeSufficientMm(): number {
    return Math.max(this.#limits.exactMm, this.#result.maxWithinLimitMm);
  }

  /** Returns whether a triangle of the other surface is so near a vertex that the distance need not be exact. */
  #isNear(candidate: number, vertex: number): boolean {
    if (this.#nearest[vertex] === candidate) return true;
    const { positions } = this.#mesh;
    const [x, y, z] = [positions[vertex * 3], positions[vertex * 3 + 1], positions[vertex * 3 + 2]];
    return this.#to.squaredDistanceToTriangle(candidate, x, y, z) <= this.#sufficientSquared;
  }
}
