import type { MeshGeometry } from '../core/mesh.js';
import { type Bvh, LEAF_SIZE } from './bvh.js';

/** The point where a ray leaves a solid. */
export interface Exit {
  /** Distance along the ray; the length of the ray if it does not leave. */
  distanceMm: number;
  /** The triangle that the ray leaves through; -1 if it does not leave. */
  triangle: number;
}

/**
 * Finds the first triangle that a ray crosses from back to front: the exit from the solid that it starts in. Not exact:
 * a ray exactly along an edge may miss both triangles.
 *
 * @param direction unit vector
 * @param reachMm length of the ray
 * @param skippedTriangle the triangle that the ray starts on
 */
export function findFirstExit(
  mesh: MeshGeometry,
  tree: Bvh,
  from: Float64Array,
  direction: Float64Array,
  reachMm: number,
  skippedTriangle: number,
): Exit {
  const exit: Exit = { distanceMm: reachMm, triangle: -1 };
  const stack = [1];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (!rayIntersectsBox(from, direction, exit.distanceMm, tree.nodeBoxes, node * 6)) continue;
    if (node < tree.firstLeaf) {
      stack.push(node * 2, node * 2 + 1);
      continue;
    }
    const first = (node - tree.firstLeaf) * LEAF_SIZE;
    const end = Math.min(tree.order.length, first + LEAF_SIZE);
    for (let slot = first; slot < end; slot++) {
      const triangle = tree.order[slot];
      if (triangle === skippedTriangle) continue;
      const distanceMm = exitDistance(mesh, triangle * 3, from, direction);
      if (distanceMm > exit.distanceMm) continue;
      exit.distanceMm = distanceMm;
      exit.triangle = triangle;
    }
  }
  return exit;
}

/**
 * Computes the distance along a ray at which it crosses a triangle from back to front (Möller and Trumbore 1997).
 * Infinite if it does not.
 */
function exitDistance(
  { positions: p, triangles }: MeshGeometry,
  offset: number,
  from: Float64Array,
  d: Float64Array,
): number {
  const a = triangles[offset] * 3;
  const b = triangles[offset + 1] * 3;
  const c = triangles[offset + 2] * 3;
  const [ux, uy, uz] = [p[b] - p[a], p[b + 1] - p[a + 1], p[b + 2] - p[a + 2]];
  const [vx, vy, vz] = [p[c] - p[a], p[c + 1] - p[a + 1], p[c + 2] - p[a + 2]];
  const qx = d[1] * vz - d[2] * vy;
  const qy = d[2] * vx - d[0] * vz;
  const qz = d[0] * vy - d[1] * vx;
  const determinant = ux * qx + uy * qy + uz * qz; // negative if the ray comes from behind
  if (determinant >= 0) return Number.POSITIVE_INFINITY;
  const [wx, wy, wz] = [from[0] - p[a], from[1] - p[a + 1], from[2] - p[a + 2]];
  const s = (wx * qx + wy * qy + wz * qz) / determinant;
  if (s < 0 || s > 1) return Number.POSITIVE_INFINITY;
  const rx = wy * uz - wz * uy;
  const ry = wz * ux - wx * uz;
  const rz = wx * uy - wy * ux;
  const t = (d[0] * rx + d[1] * ry + d[2] * rz) / determinant;
  if (t < 0 || s + t > 1) return Number.POSITIVE_INFINITY;
  const distance = (vx * rx + vy * ry + vz * rz) / determinant;
  return distance >= 0 ? distance : Number.POSITIVE_INFINITY;
}

/** Returns whether a ray of length `reachMm` may intersect a box (slab test, Kay and Kajiya 1986). */
function rayIntersectsBox(
  from: Float64Array,
  d: Float64Array,
  reachMm: number,
  boxes: Float32Array,
  offset: number,
): boolean {
  if (boxes[offset] > boxes[offset + 3]) return false; // an empty node
  let enter = 0;
  let leave = reachMm;
  for (let k = 0; k < 3; k++) {
    if (d[k] === 0) {
      if (from[k] < boxes[offset + k] || from[k] > boxes[offset + 3 + k]) return false;
      continue;
    }
    const near = (boxes[offset + k] - from[k]) / d[k];
    const far = (boxes[offset + 3 + k] - from[k]) / d[k];
    enter = Math.max(enter, Math.min(near, far));
    leave = Math.min(leave, Math.max(near, far));
  }
  return enter <= leave;
}
