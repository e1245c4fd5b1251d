import { triangleOf } from './half-edge.js';

/** The corners at each vertex. */
export interface VertexCorners {
  /** vertex → index of its first corner in `corners`, with one extra entry at the end */
  starts: Uint32Array;
  /** index → corner; ascending at each vertex */
  corners: Uint32Array;
}

/** Groups the corners of a mesh by vertex, by a counting sort. Linear time. */
export function groupCornersByVertex(triangles: Uint32Array, vertexCount: number): VertexCorners {
  const starts = new Uint32Array(vertexCount + 1);
  for (let corner = 0; corner < triangles.length; corner++) starts[triangles[corner] + 1]++;
  for (let vertex = 0; vertex < vertexCount; vertex++) starts[vertex + 1] += starts[vertex];
  const next = starts.slice();
  const corners = new Uint32Array(triangles.length);
  for (let corner = 0; corner < triangles.length; corner++) corners[next[triangles[corner]]++] = corner;
  return { starts, corners };
}

/**
 * Builds an index of the triangles at each vertex. Returns a function from a vertex to its triangles, in ascending
 * order.
 */
export function buildOneRings(triangles: Uint32Array, vertexCount: number): (vertex: number) => number[] {
  const { starts, corners } = groupCornersByVertex(triangles, vertexCount);
  return (vertex) => {
    const oneRing: number[] = [];
    for (let i = starts[vertex]; i < starts[vertex + 1]; i++) oneRing.push(triangleOf(corners[i]));
    return oneRing;
  };
}
