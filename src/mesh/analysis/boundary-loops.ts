import type { IndexedMesh } from '../core/mesh.js';
import { DisjointSets } from '../topology/disjoint-sets.js';
import { nextOf } from '../topology/half-edge.js';

const PLANARITY_TOLERANCE = 1e-6;

/** Counts of what bounds a surface that is not closed. */
export interface BoundaryLoops {
  /** Chains of boundary edges that hang together by their vertices. */
  count: number;
  /** Those of them that lie in a plane, within a millionth of the mesh's diagonal. */
  planarCount: number;
}

/** Gathers the boundary edges, given by their half-edges, into loops, whatever the winding of their triangles. */
export function countBoundaryLoops(mesh: IndexedMesh, boundary: readonly number[], diagonalMm: number): BoundaryLoops {
  const { positions, triangles } = mesh;
  if (boundary.length === 0) return { count: 0, planarCount: 0 };
  const sets = new DisjointSets(positions.length / 3);
  for (const h of boundary) sets.union(triangles[h], triangles[nextOf(h)]);
  const vertices = new Map<number, number[]>(); // loop (its smallest vertex) → its vertices, some twice
  for (const h of boundary) {
    const loop = sets.find(triangles[h]);
    const existing = vertices.get(loop);
    if (existing) existing.push(triangles[h], triangles[nextOf(h)]);
    else vertices.set(loop, [triangles[h], triangles[nextOf(h)]]);
  }
  let planarCount = 0;
  for (const loop of vertices.values())
    if (isPlanarLoop(positions, loop, diagonalMm * PLANARITY_TOLERANCE)) planarCount++;
  return { count: vertices.size, planarCount };
}

/** Whether all lie in the plane of three of them that are far apart. */
function isPlanarLoop(positions: Float64Array, vertices: readonly number[], toleranceMm: number): boolean {
  const from = (vertex: number, origin: number) =>
    [0, 1, 2].map((k) => positions[vertex * 3 + k] - positions[origin * 3 + k]);
  const cross = (u: readonly number[], v: readonly number[]) => [
    u[1] * v[2] - u[2] * v[1],
    u[2] * v[0] - u[0] * v[2],
    u[0] * v[1] - u[1] * v[0],
  ];
  const origin = vertices[0];
  const longest = longestOf(vertices.map((vertex) => from(vertex, origin)));
  const normal = longestOf(vertices.map((vertex) => cross(longest, from(vertex, origin))));
  const length = Math.hypot(...normal);
  if (length === 0) return true;
  return vertices.every((vertex) => {
    const [x, y, z] = from(vertex, origin);
    return Math.abs(x * normal[0] + y * normal[1] + z * normal[2]) <= toleranceMm * length;
  });
}

function longestOf(vectors: readonly (readonly number[])[]): readonly number[] {
  let longest = vectors[0];
  for (const vector of vectors) if (Math.hypot(...vector) > Math.hypot(...longest)) longest = vector;
  return longest;
}
