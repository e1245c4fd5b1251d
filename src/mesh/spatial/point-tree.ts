import { type Bvh, buildBvh } from './bvh.js';

/** Builds a BVH of vertices. A query returns their indices in `vertices`. */
export function buildPointTree(positions: Float64Array, vertices: ArrayLike<number>): Bvh {
  const points = new Uint32Array(vertices.length * 3);
  for (let i = 0; i < vertices.length; i++) points.fill(vertices[i], i * 3, i * 3 + 3);
  return buildBvh(positions, points);
}
