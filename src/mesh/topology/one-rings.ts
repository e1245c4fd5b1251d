import { triangleOf } from './half-edge.js';

/**
 * Builds an index of the triangles at each vertex. Returns a function from a vertex to its triangles, in ascending
 * order.
 */
export function buildOneRings(triangles: Uint32Array, vertexCount: number): (vertex: number) => number[] {
  const ends = new Uint32Array(vertexCount + 1); // vertex → end of its triangles in `order`
  for (let i = 0; i < triangles.length; i++) ends[triangles[i] + 1]++;
  for (let vertex = 0; vertex < vertexCount; vertex++) ends[vertex + 1] += ends[vertex];
  const order = new Uint32Array(triangles.length);
  for (let i = 0; i < triangles.length; i++) order[ends[triangles[i]]++] = triangleOf(i);
  return (vertex) => [...order.subarray(vertex === 0 ? 0 : ends[vertex - 1], ends[vertex])];
}
