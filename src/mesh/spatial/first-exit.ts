import type { MeshGeometry } from '../core/mesh.js';
import { type Bvh, LEAF_SIZE } from './bvh.js';

/** Where a ray leaves a body: how far on, and in which triangle; `triangle` is -1 where it does not. */
export interface Exit {
  distanceMm: number;
  triangle: number;
}

/**
 * Finds the first triangle, within `reachMm`, that a ray goes through from its back to its front: where it leaves the body that it begins in. In
 * floating point: a ray right along an edge may miss it. `skippedTriangle`: the triangle that the ray begins on. `direction` has length one.
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

/** How far on a ray goes through a triangle from behind; infinite where it does not (T. Möller, B. Trumbore, 1997). */
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
  const turn = ux * qx + uy * qy + uz * qz; // below zero where the front lies ahead: the ray comes from behind
  if (turn >= 0) return Number.POSITIVE_INFINITY;
  const [wx, wy, wz] = [from[0] - p[a], from[1] - p[a + 1], from[2] - p[a + 2]];
  const s = (wx * qx + wy * qy + wz * qz) / turn;
  if (s < 0 || s > 1) return Number.POSITIVE_INFINITY;
  const rx = wy * uz - wz * uy;
  const ry = wz * ux - wx * uz;
  const rz = wx * uy - wy * ux;
  const t = (d[0] * rx + d[1] * ry + d[2] * rz) / turn;
  if (t < 0 || s + t > 1) return Number.POSITIVE_INFINITY;
  const distance = (vx * rx + vy * ry + vz * rz) / turn;
  return distance >= 0 ? distance : Number.POSITIVE_INFINITY;
}

/** Whether a ray may meet a box within its reach (slab test). */
function rayIntersectsBox(
  from: Float64Array,
  d: Float64Array,
  reach: number,
  boxes: Float32Array,
  offset: number,
): boolean {
  let enter = 0;
  let leave = reach;
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
