import type { WorkingSurface } from '../intersections/working-surface.js';

/** What the largest coordinate of a vertex can be told apart by as float32. */
export function stepAt(positions: Float64Array, vertex: number): number {
  const size = Math.max(...[0, 1, 2].map((k) => Math.abs(positions[vertex * 3 + k])));
  return 2 ** (Math.floor(Math.log2(Math.max(size, 1e-30))) - 23);
}

/** How far two vertices are from each other. */
export function lengthOf({ positions: p }: WorkingSurface, a: number, b: number): number {
  return Math.hypot(p[a * 3] - p[b * 3], p[a * 3 + 1] - p[b * 3 + 1], p[a * 3 + 2] - p[b * 3 + 2]);
}
