import type { MeshGeometry } from '../core/mesh.js';
import { createWorkCounter, type WorkCounter } from '../core/work-counter.js';
import { squaredDistanceToTriangle } from '../geometry/point-triangle-distance.js';
import { triangleOf } from '../topology/half-edge.js';
import { type Boxes, type Bvh, buildBvh, LEAF_SIZE } from './bvh.js';

/**
 * Answers distance queries against a mesh by branch and bound on its BVH.
 *
 * Each query starts with the nearest triangle of the previous one as its upper bound. Consecutive points that are close
 * to each other are therefore fast. At the limit of the work, later queries search no more: distances are then those of
 * triangles nearby, which may be larger than those of the nearest ones, and are never too small.
 */
export class DistanceQuery {
  readonly #mesh: MeshGeometry;
  readonly #tree: Bvh;
  readonly #twins: Int32Array | undefined;
  readonly #work: WorkCounter;
  // Large enough: at most two nodes per level are pending.
  readonly #stack = new Int32Array(128);
  readonly #stackSquaredDistance = new Float64Array(128);
  /** The nearest triangle of the last query. */
  nearest = 0;

  /**
   * @param tree the BVH of `mesh`. Default: builds one.
   * @param twins half-edge → its twin, or a negative number. If given, a query first walks from `nearest` to nearer
   *   neighbors. That suffices for most points beside the previous one if their distance need not be exact.
   * @param work counts the nodes and triangles that are visited. Default: without a limit
   */
  constructor(
    mesh: MeshGeometry,
    tree: Bvh = buildBvh(mesh.positions, mesh.triangles),
    twins?: Int32Array,
    work: WorkCounter = createWorkCounter(),
  ) {
    this.#mesh = mesh;
    this.#tree = tree;
    this.#twins = twins;
    this.#work = work;
  }

  /**
   * Computes the distance of a point from the surface. Infinite for a mesh without triangles.
   *
   * @param sufficient stops at a triangle that is at most this far away, and returns its distance. Default: 0, exact.
   */
  distanceAt(x: number, y: number, z: number, sufficient = 0): number {
    if (this.#tree.order.length === 0) return Number.POSITIVE_INFINITY;
    const maxSquared = this.#walk(x, y, z, sufficient * sufficient);
    return Math.sqrt(this.#search(x, y, z, maxSquared, sufficient * sufficient));
  }

  /** Returns whether a point is at most `maxDistance` from the surface. Faster than to compute the distance. */
  isWithin(x: number, y: number, z: number, maxDistance: number): boolean {
    if (this.#tree.order.length === 0) return false;
    const maxSquared = maxDistance * maxDistance;
    if (this.#walk(x, y, z, maxSquared) <= maxSquared) return true;
    // A larger number, also for 0: a triangle exactly at the distance is found.
    const aboveSquared = maxSquared * (1 + Number.EPSILON) + Number.MIN_VALUE;
    return this.#search(x, y, z, aboveSquared, maxSquared) <= maxSquared;
  }

  /**
   * Sets `nearest` to `other`, or to a neighbor that a walk from there finds, if that is nearer to a point. Does
   * nothing if a walk from `nearest` ends within `sufficient`.
   */
  startNearer(other: number, x: number, y: number, z: number, sufficient: number): void {
    const squared = this.#walk(x, y, z, sufficient * sufficient);
    if (squared <= sufficient * sufficient) return;
    const before = this.nearest;
    this.nearest = other;
    if (this.#walk(x, y, z, sufficient * sufficient) >= squared) this.nearest = before;
  }

  /** Computes the squared distance of a point from one of the triangles. */
  squaredDistanceToTriangle(triangle: number, x: number, y: number, z: number): number {
    return squaredDistanceToTriangle(this.#mesh, triangle * 3, x, y, z);
  }

  /**
   * Sets `nearest` to a neighbor that is nearer, as long as there is one and the triangle is not within
   * `sufficientSquared`. Returns the squared distance of the triangle.
   */
  #walk(x: number, y: number, z: number, sufficientSquared: number): number {
    const mesh = this.#mesh;
    const twins = this.#twins;
    let minSquared = squaredDistanceToTriangle(mesh, this.nearest * 3, x, y, z);
    if (twins === undefined) return minSquared;
    let last = -1;
    while (minSquared > sufficientSquared && last !== this.nearest && this.#work.add(3)) {
      last = this.nearest;
      for (let h = last * 3; h < last * 3 + 3; h++) {
        if (twins[h] < 0) continue;
        const neighbor = triangleOf(twins[h]);
        const squared = squaredDistanceToTriangle(mesh, neighbor * 3, x, y, z);
        if (squared >= minSquared) continue;
        minSquared = squared;
        this.nearest = neighbor;
      }
    }
    return minSquared;
  }

  /**
   * Returns the squared distance of the nearest triangle below `maxSquared`, or `maxSquared` if there is none. Stops at a
   * triangle within `sufficientSquared`, and does not start at the limit of the work.
   */
  #search(x: number, y: number, z: number, maxSquared: number, sufficientSquared: number): number {
    const { order, firstLeaf, nodeBoxes, boxes } = this.#tree;
    const mesh = this.#mesh;
    const stack = this.#stack;
    const stackSquaredDistance = this.#stackSquaredDistance;
    if (this.#work.isExceeded()) return maxSquared;
    let minSquared = maxSquared;
    let visitCount = 0;
    let depth = 1;
    stack[0] = 1;
    stackSquaredDistance[0] = squaredDistanceToBox(nodeBoxes, 6, x, y, z);
    while (depth > 0 && minSquared > sufficientSquared) {
      depth--;
      if (stackSquaredDistance[depth] >= minSquared) continue;
      let node = stack[depth];
      // Goes down to the nearer child, and puts the other one on the stack.
      while (node < firstLeaf) {
        node *= 2;
        visitCount++;
        const left = squaredDistanceToBox(nodeBoxes, node * 6, x, y, z);
        const right = squaredDistanceToBox(nodeBoxes, node * 6 + 6, x, y, z);
        const isLeftNearer = left <= right;
        const farther = isLeftNearer ? right : left;
        if (farther < minSquared) {
          stack[depth] = isLeftNearer ? node + 1 : node;
          stackSquaredDistance[depth++] = farther;
        } else if ((isLeftNearer ? left : right) >= minSquared) {
          node = 0;
          break;
        }
        if (!isLeftNearer) node++;
      }
      if (node === 0) continue;
      const first = (node - firstLeaf) * LEAF_SIZE;
      const end = Math.min(order.length, first + LEAF_SIZE);
      visitCount += end - first;
      for (let slot = first; slot < end; slot++) {
        if (squaredDistanceToBox(boxes, slot * 6, x, y, z) >= minSquared) continue;
        const candidate = squaredDistanceToTriangle(mesh, order[slot] * 3, x, y, z);
        if (candidate >= minSquared) continue;
        minSquared = candidate;
        this.nearest = order[slot];
      }
    }
    this.#work.add(visitCount);
    return minSquared;
  }
}

/** Computes the squared distance of a point from the box at an offset of `boxes`. Infinite for an empty one. */
function squaredDistanceToBox(boxes: Boxes, offset: number, x: number, y: number, z: number): number {
  const dx = Math.max(boxes[offset] - x, 0, x - boxes[offset + 3]);
  const dy = Math.max(boxes[offset + 1] - y, 0, y - boxes[offset + 4]);
  const dz = Math.max(boxes[offset + 2] - z, 0, z - boxes[offset + 5]);
  return dx * dx + dy * dy + dz * dz;
}
