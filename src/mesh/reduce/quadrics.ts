import type { IndexedMesh } from '../core/mesh.js';
import { doubleAreaNormal } from '../geometry/double-area-normal.js';

/** Numbers per quadric: the upper triangle of a symmetric 4 x 4 matrix, then the sum of its area weights. */
const STRIDE = 11;

/**
 * Quadric error metrics (Garland & Heckbert 1997): for each vertex the sum of the squared distances from the planes of
 * its triangles, and of the triangles of the vertices that collapsed to it, weighted by area.
 */
export class Quadrics {
  /** vertex * STRIDE → its quadric, relative to the position of the vertex */
  readonly #values: Float64Array;
  readonly #positions: Float64Array;

  constructor({ positions, triangles }: IndexedMesh) {
    this.#positions = positions;
    this.#values = new Float64Array((positions.length / 3) * STRIDE);
    for (let triangle = 0; triangle < triangles.length / 3; triangle++) {
      const normal = doubleAreaNormal(positions, triangles, triangle);
      const size = Math.hypot(...normal);
      if (size === 0) continue;
      for (let k = 0; k < 3; k++) this.#addPlane(triangles[triangle * 3 + k], triangles[triangle * 3], normal, size);
    }
  }

  /** Returns the mean squared distance of the vertex `target` from the planes of `source`. */
  errorAt(source: number, target: number): number {
    const q = this.#values;
    const offset = source * STRIDE;
    // Relative to the source, which is close to its planes, to keep precision far from the origin.
    const [x, y, z] = this.#offset(source, target);
    const error =
      q[offset] * x * x +
      q[offset + 4] * y * y +
      q[offset + 7] * z * z +
      q[offset + 9] +
      2 *
        (q[offset + 1] * x * y +
          q[offset + 2] * x * z +
          q[offset + 5] * y * z +
          q[offset + 3] * x +
          q[offset + 6] * y +
          q[offset + 8] * z);
    return q[offset + 10] > 0 ? Math.max(0, error / q[offset + 10]) : 0;
  }

  /** Adds the quadric of `source` to that of `target`. */
  merge(source: number, target: number): void {
    const q = this.#values;
    const from = source * STRIDE;
    const to = target * STRIDE;
    // A plane is n·p + d = 0, with p relative to the source. Relative to the target, p is smaller by s, so d grows by
    // n·s.
    const [x, y, z] = this.#offset(source, target);
    const nx = q[from] * x + q[from + 1] * y + q[from + 2] * z;
    const ny = q[from + 1] * x + q[from + 4] * y + q[from + 5] * z;
    const nz = q[from + 2] * x + q[from + 5] * y + q[from + 7] * z;
    const linear = q[from + 3] * x + q[from + 6] * y + q[from + 8] * z;
    for (let i = 0; i < STRIDE; i++) q[to + i] += q[from + i];
    q[to + 3] += nx;
    q[to + 6] += ny;
    q[to + 8] += nz;
    q[to + 9] += 2 * linear + nx * x + ny * y + nz * z;
  }

  #offset(source: number, target: number): readonly [number, number, number] {
    const p = this.#positions;
    return [
      p[target * 3] - p[source * 3],
      p[target * 3 + 1] - p[source * 3 + 1],
      p[target * 3 + 2] - p[source * 3 + 2],
    ];
  }

  /** Adds the plane through the vertex `on` to the quadric of a vertex, weighted by `size`. */
  #addPlane(vertex: number, on: number, normal: readonly number[], size: number): void {
    const q = this.#values;
    const offset = vertex * STRIDE;
    const [a, b, c] = normal.map((part) => part / size);
    const [x, y, z] = this.#offset(vertex, on);
    const d = -(a * x + b * y + c * z);
    q[offset] += a * a * size;
    q[offset + 1] += a * b * size;
    q[offset + 2] += a * c * size;
    q[offset + 3] += a * d * size;
    q[offset + 4] += b * b * size;
    q[offset + 5] += b * c * size;
    q[offset + 6] += b * d * size;
    q[offset + 7] += c * c * size;
    q[offset + 8] += c * d * size;
    q[offset + 9] += d * d * size;
    q[offset + 10] += size;
  }
}
