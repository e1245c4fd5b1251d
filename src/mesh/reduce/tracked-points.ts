import type { MeshGeometry } from '../core/mesh.js';
import { forEachSamplePoint, longestEdgeLength, writeBarycentricPoint } from '../geometry/sample-triangle.js';
import { TriangleDistances } from './triangle-distances.js';

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
 * nearest triangle.
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
  /** The triangles that remain after the last collapse that was tested. */
  readonly #distances: TriangleDistances;
  /** The points of the last collapse that was tested. */
  #candidates = new Int32Array(256);
  #candidateCount = 0;
  /** index in `#candidates` → index in `remaining` of the triangle that the point is assigned to */
  #assigned = new Int32Array(256);
  /** index in `remaining` → number of points assigned to the triangle by the current call of `reassign` */
  readonly #counts: Int32Array;

  /**
   * Samples the large triangles of a surface.
   *
   * @param surface the current surface; its `triangles` may change between calls
   * @param limitMm maximum distance of a point from the surface
   * @param maxValence maximum number of triangles around a vertex that a collapse removes
   */
  constructor(surface: MeshGeometry, limitMm: number, maxValence: number) {
    const spacingMm = limitMm * SPACING_FACTOR;
    const { positions, triangles } = surface;
    this.#surface = surface;
    this.#limitMm = limitMm;
    this.#distances = new TriangleDistances(maxValence, limitMm * CLOSE_FRACTION);
    this.#counts = new Int32Array(maxValence);
    this.#firstPoint = new Int32Array(triangles.length / 3).fill(NONE);
    /** triangle → number of samples along each of its sides */
    const divisions = new Uint8Array(triangles.length / 3);
    let sampleCount = 0;
    for (let triangle = 0; triangle < divisions.length; triangle++) {
      const n = Math.min(MAX_DIVISIONS, Math.floor(longestEdgeLength(surface, triangle) / spacingMm));
      divisions[triangle] = n;
      sampleCount += (n * (n + 1)) / 2;
    }
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
   * Finds a nearby triangle for each point of a one-ring, and for its center, after a collapse. Returns whether each is
   * within the limit.
   *
   * @param vertex the vertex that the collapse removes
   * @param oneRing the triangles around `vertex`
   * @param remaining the triangles of `oneRing` that remain, with their corners after the collapse
   */
  areWithinLimit(vertex: number, oneRing: readonly number[], remaining: readonly number[]): boolean {
    this.#collectCandidates(vertex, oneRing);
    this.#setTriangles(remaining);
    for (let i = 0; i < this.#candidateCount; i++) if (!this.#assignCandidate(i, remaining.length)) return false;
    return true;
  }

  /**
   * As `areWithinLimit`, but does not stop at a point beyond the limit.
   */
  project(vertex: number, oneRing: readonly number[], remaining: readonly number[]): void {
    this.#collectCandidates(vertex, oneRing);
    this.#setTriangles(remaining);
    for (let i = 0; i < this.#candidateCount; i++) this.#assignCandidate(i, remaining.length);
  }

  /**
   * Assigns the points of the last collapse that was tested, or projected, to the triangles that remain. Drops the
   * points beyond the maximum number per triangle.
   *
   * @param isFlat whether the surface at the removed vertex was flat
   */
  reassign(oneRing: readonly number[], remaining: readonly number[], isFlat: boolean): void {
    const maxCount = isFlat ? MAX_POINTS_PER_FLAT_TRIANGLE : MAX_POINTS_PER_TRIANGLE;
    for (let i = 0; i < oneRing.length; i++) this.#firstPoint[oneRing[i]] = NONE;
    this.#counts.fill(0, 0, remaining.length);
    for (let i = 0; i < this.#candidateCount; i++) {
      const index = this.#assigned[i];
      if (++this.#counts[index] <= maxCount) this.#assign(remaining[index], this.#candidates[i]);
    }
  }

  /** Collects a vertex, and the points of the triangles around it. */
  #collectCandidates(vertex: number, oneRing: readonly number[]): void {
    let count = 0;
    this.#candidates[count++] = vertex;
    for (let i = 0; i < oneRing.length; i++) {
      for (let point = this.#firstPoint[oneRing[i]]; point !== NONE; point = this.#nextPoint[point]) {
        if (count === this.#candidates.length) this.#growCandidates();
        this.#candidates[count++] = point;
      }
    }
    this.#candidateCount = count;
  }

  #growCandidates(): void {
    const candidates = new Int32Array(this.#candidates.length * 2);
    candidates.set(this.#candidates);
    this.#candidates = candidates;
    this.#assigned = new Int32Array(candidates.length);
  }

  #setTriangles(remaining: readonly number[]): void {
    const { positions, triangles } = this.#surface;
    for (let i = 0; i < remaining.length; i++) {
      const corner = remaining[i] * 3;
      const [a, b, c] = [triangles[corner] * 3, triangles[corner + 1] * 3, triangles[corner + 2] * 3];
      this.#distances.set(i, positions, a, b, c);
    }
  }

  /** Assigns a candidate to the first close triangle, or to the nearest one. Returns whether it is within the limit. */
  #assignCandidate(i: number, triangleCount: number): boolean {
    const distances = this.#distances;
    this.#assigned[i] = distances.findNearest(this.#points, this.#candidates[i] * 3, triangleCount);
    return distances.minSquared[0] <= this.#limitMm ** 2;
  }

  #assign(triangle: number, point: number): void {
    this.#nextPoint[point] = this.#firstPoint[triangle];
    this.#firstPoint[triangle] = point;
  }
}
