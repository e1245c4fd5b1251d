import { distance } from '../geometry/distance.js';

/** Weight of the squared longest side of a triangle against its area. Decides only between nearly equal areas. */
const SIDE_WEIGHT = 1e-6;

/**
 * Computes the minimum-area triangulation of a ring of vertices in space, by dynamic programming over all diagonals
 * (G. Barequet and M. Sharir, Filling gaps in the boundary of a polyhedron, 1995).
 *
 * Takes cubic time: callers split rings of more than a few hundred vertices. Each edge of the ring becomes a side of
 * exactly one triangle.
 *
 * @param edgeExists returns whether a diagonal between two vertices is already an edge of the mesh. Such diagonals are
 * used as little as possible, regardless of the area (P. Liepa, Filling holes in meshes, 2003). Default: none exists.
 * @returns three vertex indices per triangle, in the winding of the ring
 */
export function triangulateMinimumArea(
  positions: Float64Array,
  ring: readonly number[],
  edgeExists: (a: number, b: number) => boolean = () => false,
): number[] {
  const n = ring.length;
  const penalty = n * computePerimeter(positions, ring) ** 2; // above the cost of any triangulation
  const cost = new Float64Array(n * n); // i * n + j → minimum cost of the part of the ring from corner i to corner j
  const apex = new Int32Array(n * n); // i * n + j → the corner that forms a triangle with i and j at this cost
  for (let span = 2; span < n; span++) {
    for (let i = 0; i + span < n; i++) {
      const j = i + span;
      let minCost = Number.POSITIVE_INFINITY;
      apex[i * n + j] = i + 1; // remains if all costs overflow
      for (let k = i + 1; k < j; k++) {
        const sum = cost[i * n + k] + cost[k * n + j];
        if (sum >= minCost) continue;
        const total = sum + computeCost(positions, ring[i], ring[k], ring[j]);
        if (total < minCost) {
          minCost = total;
          apex[i * n + j] = k;
        }
      }
      const isDiagonal = span < n - 1;
      cost[i * n + j] = isDiagonal && edgeExists(ring[i], ring[j]) ? minCost + penalty : minCost;
    }
  }
  const triangles: number[] = [];
  const pending: [number, number][] = [[0, n - 1]];
  for (let part = pending.pop(); part; part = pending.pop()) {
    const [i, j] = part;
    if (j - i < 2) continue;
    const k = apex[i * n + j];
    triangles.push(ring[i], ring[k], ring[j]);
    pending.push([k, j], [i, k]);
  }
  return triangles;
}

function computePerimeter(positions: Float64Array, ring: readonly number[]): number {
  return ring.reduce((sum, vertex, i) => sum + distance(positions, vertex, ring[(i + 1) % ring.length]), 0);
}

/** Computes the cost of a triangle: twice its area, plus the weighted longest side. */
function computeCost(positions: Float64Array, a: number, b: number, c: number): number {
  const ux = positions[b * 3] - positions[a * 3];
  const uy = positions[b * 3 + 1] - positions[a * 3 + 1];
  const uz = positions[b * 3 + 2] - positions[a * 3 + 2];
  const vx = positions[c * 3] - positions[a * 3];
  const vy = positions[c * 3 + 1] - positions[a * 3 + 1];
  const vz = positions[c * 3 + 2] - positions[a * 3 + 2];
  const nx = uy * vz - uz * vy;
  const ny = uz * vx - ux * vz;
  const nz = ux * vy - uy * vx;
  const wx = vx - ux;
  const wy = vy - uy;
  const wz = vz - uz;
  const longestSquared = Math.max(
    ux * ux + uy * uy + uz * uz,
    vx * vx + vy * vy + vz * vz,
    wx * wx + wy * wy + wz * wz,
  );
  return Math.sqrt(nx * nx + ny * ny + nz * nz) + SIDE_WEIGHT * longestSquared;
}
