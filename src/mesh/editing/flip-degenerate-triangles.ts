import type { MeshGeometry } from '../core/mesh.js';
import { pairKey } from '../core/pair-key.js';
import { markDegenerateTriangles } from '../geometry/degenerate-triangles.js';
import { distance } from '../geometry/distance.js';
import { areCollinear } from '../geometry/predicates.js';
import { markDegenerateTrianglesOf } from '../intersections/mark-intersecting.js';
import { createMeshState, type MeshState } from '../spatial/mesh-index.js';
import { type Edges, NO_TWIN } from '../topology/edges.js';
import { nextOf, previousOf, triangleOf } from '../topology/half-edge.js';

/** A flip may enable further ones, which the next round makes. */
const MAX_ROUNDS = 16;

/** The mesh of a round, and what its flips changed. */
interface FlipRound {
  positions: Float64Array;
  /** Changed by flips. */
  triangles: Uint32Array;
  /** half-edge → twin, before the round */
  twins: Int32Array;
  /** The edges before the round. */
  existingEdges: EdgeSet;
  /** Triangles whose twins changed. */
  touched: Set<number>;
}

/**
 * Removes triangles whose corners are exactly collinear, by an edge flip: the longest side is replaced by the other
 * diagonal of its two triangles. The surface does not move. The state is the one received if `flipCount` is 0.
 */
export function flipDegenerateTriangles(state: MeshState): { state: MeshState; flipCount: number } {
  const { positions } = state.mesh;
  let current = state;
  let flipCount = 0;
  let isDegenerate = state.index.derive(markDegenerateTrianglesOf);
  for (let round = 0; round < MAX_ROUNDS && isDegenerate.includes(1); round++) {
    const triangles = current.mesh.triangles.slice();
    const { index } = current;
    const existingEdges = new EdgeSet(current.mesh, index.edges());
    const flips: FlipRound = { positions, triangles, twins: index.twins(), existingEdges, touched: new Set() };
    let roundCount = 0;
    for (let triangle = isDegenerate.indexOf(1); triangle >= 0; triangle = isDegenerate.indexOf(1, triangle + 1))
      if (tryFlip(flips, triangle)) roundCount++;
    if (roundCount === 0) break;
    flipCount += roundCount;
    current = createMeshState({ ...current.mesh, triangles });
    isDegenerate = markDegenerateTriangles(current.mesh);
  }
  return { state: current, flipCount };
}

/** The edges of a mesh, and those that were added since. */
class EdgeSet {
  readonly #triangles: Uint32Array;
  readonly #edges: Edges;
  readonly #vertexCount: number;
  readonly #added = new Set<number>();

  constructor({ positions, triangles }: MeshGeometry, edges: Edges) {
    this.#triangles = triangles;
    this.#vertexCount = positions.length / 3;
    this.#edges = edges;
  }

  add(a: number, b: number): void {
    this.#added.add(pairKey(a, b, this.#vertexCount));
  }

  /** Returns whether there is an edge between two vertices. Searches the sorted edges by bisection. */
  has(a: number, b: number): boolean {
    const [low, high] = [Math.min(a, b), Math.max(a, b)];
    if (this.#added.has(pairKey(a, b, this.#vertexCount))) return true;
    const { order, starts } = this.#edges;
    let first = 0;
    let end = starts.length - 1;
    while (first < end) {
      const middle = (first + end) >> 1;
      const h = order[starts[middle]];
      const [from, to] = [this.#triangles[h], this.#triangles[nextOf(h)]];
      const comparison = Math.min(from, to) - low || Math.max(from, to) - high;
      if (comparison === 0) return true;
      if (comparison < 0) first = middle + 1;
      else end = middle;
    }
    return false;
  }
}

/**
 * Flips the longest side of a degenerate triangle, if both new triangles have area and the new edge does not exist yet.
 */
function tryFlip({ positions, triangles, twins, existingEdges, touched }: FlipRound, triangle: number): boolean {
  const h = longestHalfEdge(positions, triangles, triangle);
  const twin = twins[h];
  if (twin === NO_TWIN) return false;
  const other = triangleOf(twin);
  if (touched.has(triangle) || touched.has(other)) return false;
  const [a, b, c] = [triangles[h], triangles[nextOf(h)], triangles[previousOf(h)]];
  const d = triangles[previousOf(twin)];
  if (existingEdges.has(c, d)) return false;
  if (areCollinear(positions, a, d, c) || areCollinear(positions, d, b, c)) return false;
  triangles.set([a, d, c], triangle * 3);
  triangles.set([d, b, c], other * 3);
  existingEdges.add(c, d);
  touched.add(triangle).add(other);
  return true;
}

function longestHalfEdge(positions: Float64Array, triangles: Uint32Array, triangle: number): number {
  const lengths = [0, 1, 2].map((side) => {
    const h = triangle * 3 + side;
    return distance(positions, triangles[h], triangles[nextOf(h)]);
  });
  return triangle * 3 + lengths.indexOf(Math.max(...lengths));
}
