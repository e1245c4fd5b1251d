import { type HalfEdgeCollapseMesh, MAX_VALENCE } from './half-edge-collapse-mesh.js';
import { Quadrics } from './quadrics.js';
import { VertexHeap } from './vertex-heap.js';

/**
 * Weight of the squared edge length in the cost. Of edges with equal error, as in planar parts, the shortest collapses
 * first.
 */
const LENGTH_WEIGHT = 1e-6;
/**
 * The surface at a vertex is flat if the error of a collapse, as a distance, is below this fraction of the accuracy.
 */
const FLAT_ERROR_FRACTION = 0.02;
/**
 * Collapses with a larger error, as a multiple of the squared accuracy, are not tested. Planes extend beyond their triangles, so
 * that the surface may be nearer than they are. With 1, up to 13 % more triangles remain; with 4, more places deviate too far.
 */
const MAX_ERROR_FACTOR = 2;
/** Where the surface is not flat, only this many of the cheapest neighbors are tried: the others seldom succeed. */
const MAX_TARGETS = 3;

/**
 * The vertices that may be removed, by the quadric error of a collapse to the cheapest neighbor (Garland & Heckbert 1997).
 *
 * Each vertex is in the heap with the cost of its cheapest neighbor. After a collapse, the cost of a vertex beside it
 * changes only if its cheapest neighbor was removed, or if the target is cheaper.
 */
export class CollapseQueue {
  readonly #surface: HalfEdgeCollapseMesh;
  /** vertex → 1 if it may be removed */
  readonly #isRemovable: Uint8Array;
  readonly #quadrics: Quadrics;
  readonly #heap: VertexHeap;
  /** vertex → its cheapest neighbor, and the cost of a collapse to it: infinite if unknown, or with too few or many neighbors */
  readonly #cheapest: Int32Array;
  readonly #minCosts: Float64Array;
  readonly #neighbors = new Int32Array(MAX_VALENCE + 1);
  /** index in `#neighbors` → error and cost of a collapse to it */
  readonly #errors = new Float64Array(MAX_VALENCE);
  readonly #costs = new Float64Array(MAX_VALENCE);
  readonly #single = new Int32Array(1);
  readonly #singleError = new Float64Array(1);
  readonly #singleLength = new Float64Array(1);
  // Limits of the mean squared distance of a target from the planes of the vertex, in mm².
  readonly #maxError: number;
  readonly #maxFlatError: number;

  /** Creates an empty queue of the vertices of a surface. `isRemovable`: vertex → 1 if it may be removed. */
  constructor(surface: HalfEdgeCollapseMesh, isRemovable: Uint8Array) {
    this.#surface = surface;
    this.#isRemovable = isRemovable;
    this.#quadrics = new Quadrics(surface.toMesh());
    this.#heap = new VertexHeap(isRemovable.length);
    this.#cheapest = new Int32Array(isRemovable.length);
    this.#minCosts = new Float64Array(isRemovable.length).fill(Number.POSITIVE_INFINITY);
    this.#maxError = surface.accuracyMm ** 2 * MAX_ERROR_FACTOR;
    this.#maxFlatError = (surface.accuracyMm * FLAT_ERROR_FRACTION) ** 2;
  }

  /** Adds a vertex with the cost of its cheapest neighbor, if it may be removed. */
  add(vertex: number): void {
    if (this.#isRemovable[vertex] === 0) return;
    const neighbors = this.#neighbors;
    const costs = this.#costs;
    const count = this.#surface.writeNeighbors(vertex, neighbors);
    let minCost = Number.POSITIVE_INFINITY;
    if (count >= 3 && count <= MAX_VALENCE) {
      this.#writeCosts(vertex, count);
      for (let i = 0; i < count; i++) {
        if (costs[i] >= minCost) continue;
        minCost = costs[i];
        this.#cheapest[vertex] = neighbors[i];
      }
      this.#heap.set(vertex, minCost);
    } else this.#heap.delete(vertex);
    this.#minCosts[vertex] = minCost;
  }

  /** Removes and returns the cheapest vertex, or `undefined` if the queue is empty. */
  pop(): number | undefined {
    return this.#heap.pop();
  }

  /** Adds a vertex, or changes its cost, after its neighbor `removed` collapsed to `target`. */
  update(vertex: number, removed: number, target: number): void {
    if (this.#isRemovable[vertex] === 0) return;
    const valence = this.#surface.valenceOf(vertex);
    const isKnown = this.#minCosts[vertex] < Number.POSITIVE_INFINITY && this.#cheapest[vertex] !== removed;
    if (vertex === target || !isKnown || valence < 3 || valence > MAX_VALENCE) {
      this.add(vertex);
      return;
    }
    this.#neighbors[0] = target;
    this.#writeCosts(vertex, 1);
    if (this.#costs[0] < this.#minCosts[vertex]) {
      this.#minCosts[vertex] = this.#costs[0];
      this.#cheapest[vertex] = target;
    }
    this.#heap.set(vertex, this.#minCosts[vertex]);
  }

  /** Returns the cheapest neighbor that a vertex can collapse to. */
  findTarget(vertex: number): number | undefined {
    const neighbors = this.#neighbors;
    const costs = this.#costs;
    const errors = this.#errors;
    const count = this.#surface.writeNeighbors(vertex, neighbors);
    this.#writeCosts(vertex, Math.min(count, MAX_VALENCE));
    for (let index = 0; index < count; index++) {
      let best = -1;
      for (let i = index; i < count; i++)
        if (errors[i] <= this.#maxError && (best < 0 || costs[i] < costs[best])) best = i;
      if (best < 0) return undefined;
      const target = neighbors[best];
      costs[best] = costs[index];
      errors[best] = errors[index];
      neighbors[best] = neighbors[index];
      if (index >= MAX_TARGETS && !this.isFlat(vertex, target)) return undefined;
      if (this.#surface.canCollapse(vertex, target)) return target;
    }
    return undefined;
  }

  /** Returns whether the surface at a vertex is flat, for a collapse to `target`. */
  isFlat(vertex: number, target: number): boolean {
    this.#single[0] = target;
    this.#quadrics.writeErrors(vertex, this.#single, 1, this.#singleError, this.#singleLength);
    return this.#singleError[0] < this.#maxFlatError;
  }

  /** Adds the planes of a vertex that collapsed to those of its target. */
  merge(vertex: number, target: number): void {
    this.#quadrics.merge(vertex, target);
  }

  /** Writes the costs of collapses of a vertex to the first `count` of `#neighbors`. */
  #writeCosts(vertex: number, count: number): void {
    const costs = this.#costs;
    this.#quadrics.writeErrors(vertex, this.#neighbors, count, this.#errors, costs);
    for (let i = 0; i < count; i++) costs[i] = this.#errors[i] + LENGTH_WEIGHT * costs[i];
  }
}
