import type { MeshGeometry } from '../core/mesh.js';
import { squaredDistanceToTriangle } from '../geometry/point-triangle-distance.js';
import { type Bvh, buildBvh, LEAF_SIZE } from './bvh.js';

/**
 * Answers distance queries against a mesh by branch and bound on its BVH.
 *
 * Each query starts with the nearest triangle of the previous one as its upper bound. Consecutive points that are close
 * to each other are therefore fast.
 */
export class DistanceQuery {
  readonly #mesh: MeshGeometry;
  readonly #tree: Bvh;
  // Large enough: at most two nodes per level are pending.
  readonly #stack = new Int32Array(128);
  readonly #stackSquaredDistance = new Float64Array(128);
  /** The nearest triangle of the last query. */
  nearest = 0;

  /** @param tree the BVH of `mesh`. Default: builds one. */
  constructor(mesh: MeshGeometry, tree: Bvh = buildBvh(mesh.positions, mesh.triangles)) {
    this.#mesh = mesh;
    this.#tree = tree;
  }

  /**
   * Computes the distance of a point from the surface. Infinite for a mesh without triangles.
   *
   * @param sufficient stops at a triangle that is at most this far away, and returns its distance. Default: 0, exact.
   */
  distanceAt(x: number, y: number, z: number, sufficient = 0): number {
    const { order, firstLeaf } = this.#tree;
    if (order.length === 0) return Number.POSITIVE_INFINITY;
    let minSquared = squaredDistanceToTriangle(this.#mesh, this.nearest * 3, x, y, z);
    const sufficientSquared = sufficient * sufficient;
    let depth = 0;
    this.#push(depth++, 1, this.#squaredDistanceToBox(1, x, y, z));
    while (depth > 0 && minSquared > sufficientSquared) {
      depth--;
      const node = this.#stack[depth];
      if (this.#stackSquaredDistance[depth] >= minSquared) continue;
      if (node < firstLeaf) {
        const leftSquared = this.#squaredDistanceToBox(node * 2, x, y, z);
        const rightSquared = this.#squaredDistanceToBox(node * 2 + 1, x, y, z);
        const nearer = leftSquared <= rightSquared ? node * 2 : node * 2 + 1;
        if (Math.max(leftSquared, rightSquared) < minSquared)
          this.#push(depth++, nearer === node * 2 ? node * 2 + 1 : node * 2, Math.max(leftSquared, rightSquared));
        if (Math.min(leftSquared, rightSquared) < minSquared)
          this.#push(depth++, nearer, Math.min(leftSquared, rightSquared));
        continue;
      }
      const first = (node - firstLeaf) * LEAF_SIZE;
      const end = Math.min(order.length, first + LEAF_SIZE);
      for (let slot = first; slot < end; slot++) {
        const candidate = squaredDistanceToTriangle(this.#mesh, order[slot] * 3, x, y, z);
        if (candidate >= minSquared) continue;
        minSquared = candidate;
        this.nearest = order[slot];
      }
    }
    return Math.sqrt(minSquared);
  }

  #push(depth: number, node: number, squaredDistance: number): void {
    this.#stack[depth] = node;
    this.#stackSquaredDistance[depth] = squaredDistance;
  }

  /** Computes the squared distance of a point from the box of a node. Infinite for an empty node. */
  #squaredDistanceToBox(node: number, x: number, y: number, z: number): number {
    const { nodeBoxes } = this.#tree;
    const offset = node * 6;
    const dx = Math.max(nodeBoxes[offset] - x, 0, x - nodeBoxes[offset + 3]);
    const dy = Math.max(nodeBoxes[offset + 1] - y, 0, y - nodeBoxes[offset + 4]);
    const dz = Math.max(nodeBoxes[offset + 2] - z, 0, z - nodeBoxes[offset + 5]);
    return dx * dx + dy * dy + dz * dz;
  }
}
