import { triangleOf } from '../topology/half-edge.js';
import { groupCornersByVertex, type VertexCorners } from '../topology/one-rings.js';

/** The triangles at each vertex of a mesh that changes. */
export class ChangeableOneRings {
  readonly #initialCorners: VertexCorners;
  /** vertex → its triangles, if they differ from the initial ones */
  readonly #changed = new Map<number, Set<number>>();

  constructor(triangles: Uint32Array, vertexCount: number) {
    this.#initialCorners = groupCornersByVertex(triangles, vertexCount);
  }

  /** Returns the triangles at a vertex, in the order in which they were added. */
  oneRingOf(vertex: number): number[] {
    const changed = this.#changed.get(vertex);
    if (changed) return [...changed];
    const { starts, corners } = this.#initialCorners;
    return Array.from(corners.subarray(starts[vertex], starts[vertex + 1]), triangleOf);
  }

  /** Returns the number of triangles at a vertex. */
  valenceOf(vertex: number): number {
    const { starts } = this.#initialCorners;
    return this.#changed.get(vertex)?.size ?? starts[vertex + 1] - starts[vertex];
  }

  /** Adds a triangle to its corners. */
  add(triangle: number, corners: Iterable<number>): void {
    for (const vertex of corners) this.#changeableOf(vertex).add(triangle);
  }

  /** Deletes a triangle from its corners. */
  delete(triangle: number, corners: Iterable<number>): void {
    for (const vertex of corners) this.#changeableOf(vertex).delete(triangle);
  }

  #changeableOf(vertex: number): Set<number> {
    const oneRing = this.#changed.get(vertex) ?? new Set(this.oneRingOf(vertex));
    this.#changed.set(vertex, oneRing);
    return oneRing;
  }
}
