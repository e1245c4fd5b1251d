import { squaredDistanceToSegment } from '../geometry/point-triangle-distance.js';

/** Numbers per triangle: a corner, the sides from it, their scalar products, and the determinant of these. */
const STRIDE = 13;

/**
 * Computes squared distances of points from a few triangles. What depends only on the triangle is computed once: that
 * halves the time for the dozens of points that a collapse tests. The results equal those of
 * `squaredDistanceToTriangle`.
 */
export class TriangleDistances {
  /** index * STRIDE → the numbers of a triangle */
  readonly #values: Float64Array;
  /** The squared distance of the triangle that `findNearest` returned last. */
  readonly minSquared = new Float64Array(1);

  readonly #closeSquared: number;

  /**
   * @param capacity maximum number of triangles
   * @param closeMm a triangle within this distance of a point is near enough
   */
  constructor(capacity: number, closeMm: number) {
    this.#closeSquared = closeMm * closeMm;
    this.#values = new Float64Array(capacity * STRIDE);
  }

  /**
   * Sets the triangle at an index.
   *
   * @param p positions
   * @param a offset of the first corner's x in `p`; likewise `b` and `c`
   */
  set(index: number, p: Float64Array, a: number, b: number, c: number): void {
    const values = this.#values;
    const offset = index * STRIDE;
    const ux = p[b] - p[a];
    const uy = p[b + 1] - p[a + 1];
    const uz = p[b + 2] - p[a + 2];
    const vx = p[c] - p[a];
    const vy = p[c + 1] - p[a + 1];
    const vz = p[c + 2] - p[a + 2];
    const uu = ux * ux + uy * uy + uz * uz;
    const uv = ux * vx + uy * vy + uz * vz;
    const vv = vx * vx + vy * vy + vz * vz;
    values[offset] = p[a];
    values[offset + 1] = p[a + 1];
    values[offset + 2] = p[a + 2];
    values[offset + 3] = ux;
    values[offset + 4] = uy;
    values[offset + 5] = uz;
    values[offset + 6] = vx;
    values[offset + 7] = vy;
    values[offset + 8] = vz;
    values[offset + 9] = uu;
    values[offset + 10] = uv;
    values[offset + 11] = vv;
    values[offset + 12] = uu * vv - uv * uv;
  }

  /**
   * Returns the index of the first of `count` triangles that is close to a point, or of the nearest one.
   * Takes the point from an array, and leaves the distance in `minSquared`: numbers that a call takes or returns are
   * allocated.
   *
   * @param offset of the point's x in `points`
   */
  findNearest(points: Float64Array, offset: number, count: number): number {
    const values = this.#values;
    const closeSquared = this.#closeSquared;
    const x = points[offset];
    const y = points[offset + 1];
    const z = points[offset + 2];
    let minSquared = Number.POSITIVE_INFINITY;
    let nearest = 0;
    for (let index = 0; index < count && minSquared > closeSquared; index++) {
      const i = index * STRIDE;
      const px = x - values[i];
      const py = y - values[i + 1];
      const pz = z - values[i + 2];
      const ux = values[i + 3];
      const uy = values[i + 4];
      const uz = values[i + 5];
      const vx = values[i + 6];
      const vy = values[i + 7];
      const vz = values[i + 8];
      const uu = values[i + 9];
      const uv = values[i + 10];
      const vv = values[i + 11];
      const gramDeterminant = values[i + 12];
      const up = ux * px + uy * py + uz * pz;
      const vp = vx * px + vy * py + vz * pz;
      const isDegenerate = gramDeterminant <= 1e-14 * uu * vv;
      const s = (vv * up - uv * vp) / gramDeterminant;
      const t = (uu * vp - uv * up) / gramDeterminant;
      let squared = Number.POSITIVE_INFINITY;
      if (s >= 0 && t >= 0 && s + t <= 1 && !isDegenerate) {
        const dx = px - s * ux - t * vx;
        const dy = py - s * uy - t * vy;
        const dz = pz - s * uz - t * vz;
        squared = dx * dx + dy * dy + dz * dz;
      } else {
        // The projection is outside, or undefined for a degenerate triangle, of which all sides are tested.
        if (t < 0 || isDegenerate) squared = squaredDistanceToSegment(px, py, pz, ux, uy, uz);
        if (s < 0 || isDegenerate) squared = Math.min(squared, squaredDistanceToSegment(px, py, pz, vx, vy, vz));
        if (s + t > 1 || isDegenerate)
          squared = Math.min(squared, squaredDistanceToSegment(px - ux, py - uy, pz - uz, vx - ux, vy - uy, vz - uz));
      }
      if (squared >= minSquared) continue;
      minSquared = squared;
      nearest = index;
    }
    this.minSquared[0] = minSquared;
    return nearest;
  }
}
