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

  /** @param capacity maximum number of triangles */
  constructor(capacity: number) {
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

  /** Computes the squared distance of a point from the triangle at an index. */
  squaredDistanceTo(index: number, x: number, y: number, z: number): number {
    const values = this.#values;
    const offset = index * STRIDE;
    const px = x - values[offset];
    const py = y - values[offset + 1];
    const pz = z - values[offset + 2];
    const ux = values[offset + 3];
    const uy = values[offset + 4];
    const uz = values[offset + 5];
    const vx = values[offset + 6];
    const vy = values[offset + 7];
    const vz = values[offset + 8];
    const uu = values[offset + 9];
    const uv = values[offset + 10];
    const vv = values[offset + 11];
    const gramDeterminant = values[offset + 12];
    const up = ux * px + uy * py + uz * pz;
    const vp = vx * px + vy * py + vz * pz;
    const isDegenerate = gramDeterminant <= 1e-14 * uu * vv;
    const s = (vv * up - uv * vp) / gramDeterminant;
    const t = (uu * vp - uv * up) / gramDeterminant;
    if (s >= 0 && t >= 0 && s + t <= 1 && !isDegenerate) {
      const dx = px - s * ux - t * vx;
      const dy = py - s * uy - t * vy;
      const dz = pz - s * uz - t * vz;
      return dx * dx + dy * dy + dz * dz;
    }
    // The projection is outside, or undefined for a degenerate triangle, of which all sides are tested.
    let nearest = Number.POSITIVE_INFINITY;
    if (t < 0 || isDegenerate) nearest = squaredDistanceToSegment(px, py, pz, ux, uy, uz);
    if (s < 0 || isDegenerate) nearest = Math.min(nearest, squaredDistanceToSegment(px, py, pz, vx, vy, vz));
    if (s + t > 1 || isDegenerate)
      nearest = Math.min(nearest, squaredDistanceToSegment(px - ux, py - uy, pz - uz, vx - ux, vy - uy, vz - uz));
    return nearest;
  }
}
