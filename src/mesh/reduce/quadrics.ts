import type { IndexedMesh } from '../mesh.js';
import { doubleAreaNormal } from '../spatial/double-normal.js';

// Numbers of a quadric: the upper half of a symmetric 4 x 4 matrix, then the area that it stands for.
const SIZE = 11;

/**
 * For each vertex the planes of the triangles round it, and later round those that it took the place of: tells how far a point is from
 * them (M. Garland, P. Heckbert, Surface simplification using quadric error metrics, 1997).
 */
export class Quadrics {
  readonly #values: Float64Array;
  readonly #positions: Float64Array;

  constructor({ positions, triangles }: IndexedMesh) {
    this.#positions = positions;
    this.#values = new Float64Array((positions.length / 3) * SIZE);
    for (let triangle = 0; triangle < triangles.length / 3; triangle++) {
      const normal = doubleAreaNormal(positions, triangles, triangle);
      const size = Math.hypot(...normal);
      if (size === 0) continue;
      for (let k = 0; k < 3; k++) this.#addPlane(triangles[triangle * 3 + k], triangles[triangle * 3], normal, size);
    }
  }

  /** The mean square distance of vertex `target` from the planes of `source`. */
  errorAt(source: number, target: number): number {
    const q = this.#values;
    const at = source * SIZE;
    // Far from zero coordinates lose digits: everything is taken from the source, where its planes pass close by.
    const [x, y, z] = this.#between(source, target);
    const error =
      q[at] * x * x +
      q[at + 4] * y * y +
      q[at + 7] * z * z +
      q[at + 9] +
      2 * (q[at + 1] * x * y + q[at + 2] * x * z + q[at + 5] * y * z + q[at + 3] * x + q[at + 6] * y + q[at + 8] * z);
    return q[at + 10] > 0 ? Math.max(0, error / q[at + 10]) : 0;
  }

  /** Lets `target` stand for the planes of `source` too. */
  merge(source: number, target: number): void {
    const q = this.#values;
    const from = source * SIZE;
    const to = target * SIZE;
    // Plane n·p + d = 0, with p from the source: p from the target is shorter by s, so d grows by n·s.
    const [x, y, z] = this.#between(source, target);
    const nx = q[from] * x + q[from + 1] * y + q[from + 2] * z;
    const ny = q[from + 1] * x + q[from + 4] * y + q[from + 5] * z;
    const nz = q[from + 2] * x + q[from + 5] * y + q[from + 7] * z;
    const linear = q[from + 3] * x + q[from + 6] * y + q[from + 8] * z;
    for (let i = 0; i < SIZE; i++) q[to + i] += q[from + i];
    q[to + 3] += nx;
    q[to + 6] += ny;
    q[to + 8] += nz;
    q[to + 9] += 2 * linear + nx * x + ny * y + nz * z;
  }

  #between(source: number, target: number): readonly [number, number, number] {
    const p = this.#positions;
    return [
      p[target * 3] - p[source * 3],
      p[target * 3 + 1] - p[source * 3 + 1],
      p[target * 3 + 2] - p[source * 3 + 2],
    ];
  }

  /** Adds the plane through `on`, weighed by its area, to those of a vertex. */
  #addPlane(vertex: number, on: number, normal: readonly number[], size: number): void {
    const q = this.#values;
    const at = vertex * SIZE;
    const [a, b, c] = normal.map((part) => part / size);
    const [x, y, z] = this.#between(vertex, on);
    const d = -(a * x + b * y + c * z);
    q[at] += a * a * size;
    q[at + 1] += a * b * size;
    q[at + 2] += a * c * size;
    q[at + 3] += a * d * size;
    q[at + 4] += b * b * size;
    q[at + 5] += b * c * size;
    q[at + 6] += b * d * size;
    q[at + 7] += c * c * size;
    q[at + 8] += c * d * size;
    q[at + 9] += d * d * size;
    q[at + 10] += size;
  }
}
