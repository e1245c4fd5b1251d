import type { IndexedMesh } from '../core/mesh.js';
import { buildBvh } from '../spatial/bvh.js';
import { DistanceQuery } from '../spatial/distance-query.js';
import { windingNumber } from '../spatial/winding-number.js';

// Some side to look to; the exact rays lean from it by themselves.
const RAY_SIDE = [0.48, 0.6, 0.64];

/** A ball that the surface does not enter. */
interface Ball {
  x: number;
  y: number;
  z: number;
  radius: number;
  isInside: boolean;
}

/**
 * Makes a function that tells how deep a point lies inside a solid, in mm: its distance from the surface, below zero outside. Where the
 * surface is nearer than `minMm` it answers that distance without asking for the side.
 */
export function createDepthField(mesh: IndexedMesh, minMm: number): (x: number, y: number, z: number) => number {
  const tree = buildBvh(mesh.positions, mesh.triangles);
  const search = new DistanceQuery(mesh, tree);
  // The last ball round a point that the surface does not enter. Another one that overlaps it lies on the same side.
  let ball: Ball = { x: 0, y: 0, z: 0, radius: 0, isInside: false };
  return (x, y, z) => {
    const distance = search.distanceAt(x, y, z);
    if (distance < minMm) return distance;
    const apart = Math.hypot(x - ball.x, y - ball.y, z - ball.z);
    const isSameSide = apart < (ball.radius + distance) * (1 - 1e-9);
    const isInside = isSameSide ? ball.isInside : windingNumber(mesh, tree, [x, y, z], RAY_SIDE, () => true) > 0;
    ball = { x, y, z, radius: distance, isInside };
    return isInside ? distance : -distance;
  };
}
