import type { IndexedMesh } from '../core/mesh.js';
import { buildBvh } from '../spatial/bvh.js';
import { DistanceQuery } from '../spatial/distance-query.js';
import { windingNumber } from '../spatial/winding-number.js';

// Any direction: ambiguous rays are repeated in other directions.
const RAY_SIDE = [0.48, 0.6, 0.64];

/** A ball that the surface does not intersect. */
interface Ball {
  x: number;
  y: number;
  z: number;
  radius: number;
  isInside: boolean;
}

/**
 * Creates a function that returns the depth of a point in a solid: its distance from the surface in mm, negative
 * outside. For points closer to the surface than `minMm`, the result is positive on both sides. The side is decided by
 * the winding number (Jacobson et al. 2013), which is reused for points in overlapping balls.
 */
export function createDepthField(mesh: IndexedMesh, minMm: number): (x: number, y: number, z: number) => number {
  const tree = buildBvh(mesh.positions, mesh.triangles);
  const distanceQuery = new DistanceQuery(mesh, tree);
  // The last empty ball. Overlapping empty balls are on the same side of the surface.
  let ball: Ball = { x: 0, y: 0, z: 0, radius: 0, isInside: false };
  return (x, y, z) => {
    const distance = distanceQuery.distanceAt(x, y, z);
    if (distance < minMm) return distance;
    const centerDistance = Math.hypot(x - ball.x, y - ball.y, z - ball.z);
    const isSameSide = centerDistance < (ball.radius + distance) * (1 - 1e-9);
    const isInside = isSameSide ? ball.isInside : windingNumber(mesh, tree, [x, y, z], RAY_SIDE, () => true) > 0;
    ball = { x, y, z, radius: distance, isInside };
    return isInside ? distance : -distance;
  };
}
