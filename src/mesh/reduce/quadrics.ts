import type { IndexedMesh } from '../core/mesh.js';
import { doubleAreaNormal } from '../geometry/double-area-normal.js';

/**
 * Numbers per quadric: the upper triangle of its symmetric 4 × 4 matrix, row by row, then the sum of the weights of its
 * planes.
 */
const STRIDE = 11;

/**
 * The quadrics of the vertices of a mesh (M. Garland, P. S. Heckbert: Surface Simplification Using Quadric Error
 * Metrics, 1997). A quadric is a quadratic function of a point: the sum of its squared distances from a set of planes.
 * At first these are the planes of the triangles at the vertex. A collapse adds the planes of the removed vertex.
 *
 * Each plane is weighted by the area of its triangle, and the error is divided by the sum of the weights (M. Garland:
 * Quadric-Based Polygonal Surface Simplification, 1999).
 */
export class Quadrics {
  /** vertex * STRIDE → its quadric, in coordinates relative to the vertex */
  readonly #values: Float64Array;
  /** vertex → x, y, z in mm */
  readonly #positions: Float64Array;

  /** Computes the quadrics of the vertices of a mesh. Degenerate triangles define no plane and are skipped. */
  constructor({ positions, triangles }: IndexedMesh) {
    this.#positions = positions;
    this.#values = new Float64Array((positions.length / 3) * STRIDE);
    for (let triangle = 0; triangle < triangles.length / 3; triangle++) {
      const [x, y, z] = doubleAreaNormal(positions, triangles, triangle);
      const doubleArea = Math.sqrt(x * x + y * y + z * z);
      if (doubleArea === 0) continue;
      const vertexOnPlane = triangles[triangle * 3];
      for (let k = 0; k < 3; k++)
        this.#addPlane(
          triangles[triangle * 3 + k],
          vertexOnPlane,
          x / doubleArea,
          y / doubleArea,
          z / doubleArea,
          doubleArea,
        );
    }
  }

  /**
   * Writes the errors and the squared lengths of collapses of a vertex to `count` others: the error is the weighted mean of
   * the squared distances of the target from the planes of the quadric of `source`. Both are in mm². Writes to arrays, since
   * a number that a call returns is allocated.
   */
  writeErrors(
    source: number,
    targets: Int32Array,
    count: number,
    errors: Float64Array,
    squaredLengths: Float64Array,
  ): void {
    const q = this.#values;
    const p = this.#positions;
    const offset = source * STRIDE;
    for (let i = 0; i < count; i++) {
      const target = targets[i] * 3;
      // Coordinates relative to the source are small, which avoids cancellation far from the origin.
      const x = p[target] - p[source * 3];
      const y = p[target + 1] - p[source * 3 + 1];
      const z = p[target + 2] - p[source * 3 + 2];
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
      errors[i] = q[offset + 10] > 0 ? Math.max(0, error / q[offset + 10]) : 0;
      squaredLengths[i] = x * x + y * y + z * z;
    }
  }

  /** Adds the quadric of `source` to that of `target`, for a collapse of `source` to `target`. */
  merge(source: number, target: number): void {
    const q = this.#values;
    const from = source * STRIDE;
    const to = target * STRIDE;
    // With A = Σ w n nᵀ, b = Σ w d n and c = Σ w d², a quadric has the value pᵀ A p + 2 b·p + c at a point p. Moving
    // the origin of p by s, from the source to the target, adds A s to b, and 2 b·s + sᵀ A s to c.
    const p = this.#positions;
    const x = p[target * 3] - p[source * 3];
    const y = p[target * 3 + 1] - p[source * 3 + 1];
    const z = p[target * 3 + 2] - p[source * 3 + 2];
    const asX = q[from] * x + q[from + 1] * y + q[from + 2] * z;
    const asY = q[from + 1] * x + q[from + 4] * y + q[from + 5] * z;
    const asZ = q[from + 2] * x + q[from + 5] * y + q[from + 7] * z;
    const bs = q[from + 3] * x + q[from + 6] * y + q[from + 8] * z;
    for (let i = 0; i < STRIDE; i++) q[to + i] += q[from + i];
    q[to + 3] += asX;
    q[to + 6] += asY;
    q[to + 8] += asZ;
    q[to + 9] += 2 * bs + asX * x + asY * y + asZ * z;
  }

  /** Adds a plane with the unit normal a, b, c to the quadric of `vertex`. */
  #addPlane(vertex: number, vertexOnPlane: number, a: number, b: number, c: number, weight: number): void {
    const q = this.#values;
    const offset = vertex * STRIDE;
    const p = this.#positions;
    const x = p[vertexOnPlane * 3] - p[vertex * 3];
    const y = p[vertexOnPlane * 3 + 1] - p[vertex * 3 + 1];
    const z = p[vertexOnPlane * 3 + 2] - p[vertex * 3 + 2];
    const d = -(a * x + b * y + c * z);
    q[offset] += a * a * weight;
    q[offset + 1] += a * b * weight;
    q[offset + 2] += a * c * weight;
    q[offset + 3] += a * d * weight;
    q[offset + 4] += b * b * weight;
    q[offset + 5] += b * c * weight;
    q[offset + 6] += b * d * weight;
    q[offset + 7] += c * c * weight;
    q[offset + 8] += c * d * weight;
    q[offset + 9] += d * d * weight;
    q[offset + 10] += weight;
  }
}
