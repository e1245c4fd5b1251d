import type { MeshGeometry } from '../core/mesh.js';
import { cross, dot } from '../core/vec3.js';
import { DisjointSets } from '../topology/disjoint-sets.js';
import { nextOf } from '../topology/half-edge.js';

/** A loop is planar if no vertex is farther from its plane than this fraction of the mesh diagonal. */
const PLANARITY_TOLERANCE = 1e-6;

/** Counts of the boundary loops of a mesh. */
export interface BoundaryLoops {
  /** Sets of boundary edges that are connected by vertices. */
  count: number;
  /** Loops that lie in a plane, within a millionth of the mesh diagonal. */
  planarCount: number;
}

/**
 * Counts the loops that the boundary edges form. The winding of their triangles does not matter. `boundary` lists
 * half-edges.
 */
export function countBoundaryLoops(mesh: MeshGeometry, boundary: readonly number[], diagonalMm: number): BoundaryLoops {
  const { positions, triangles } = mesh;
  if (boundary.length === 0) return { count: 0, planarCount: 0 };
  const sets = new DisjointSets(positions.length / 3);
  for (const h of boundary) sets.union(triangles[h], triangles[nextOf(h)]);
  /** loop (the representative of its set) → its vertices, with repetitions */
  const vertices = new Map<number, number[]>();
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

/** Whether all vertices lie in the plane of three of them that are far apart. */
function isPlanarLoop(positions: Float64Array, vertices: readonly number[], toleranceMm: number): boolean {
  const from = (vertex: number, origin: number) =>
    [0, 1, 2].map((k) => positions[vertex * 3 + k] - positions[origin * 3 + k]);
  const origin = vertices[0];
  const longest = longestOf(vertices.map((vertex) => from(vertex, origin)));
  const normal = longestOf(vertices.map((vertex) => cross(longest, from(vertex, origin))));
  const length = Math.hypot(...normal);
  if (length === 0) return true;
  return vertices.every((vertex) => Math.abs(dot(from(vertex, origin), normal)) <= toleranceMm * length);
}

function longestOf(vectors: readonly (readonly number[])[]): readonly number[] {
  let longest = vectors[0];
  for (const vector of vectors) if (Math.hypot(...vector) > Math.hypot(...longest)) longest = vector;
  return longest;
}
