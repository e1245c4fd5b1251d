import { distance } from '../geometry/distance.js';

// Weight of a triangle's longest side against its area: decides between triangulations of (nearly) equal area only.
const SIDE_WEIGHT = 1e-6;

/**
 * Triangulates a ring of vertices in space so that the area is least (dynamic programming over all diagonals; G. Barequet and
 * M. Sharir, Filling gaps in the boundary of a polyhedron, 1995). Time grows with the third power of the ring's length:
 * the caller splits rings above a few hundred vertices. Triangles keep the ring's winding, each ring edge is a side of one.
 *
 * @param isTaken tells of two vertices that no diagonal should join them (P. Liepa, Filling holes in meshes, 2003). Of such as few are
 * used as can be, whatever the area. Default: all are free.
 */
export function triangulateMinimumArea(
  positions: Float64Array,
  ring: readonly number[],
  edgeExists: (a: number, b: number) => boolean = () => false,
): number[] {
  const n = ring.length;
  const penalty = n * perimeterOf(positions, ring) ** 2; // more than all triangles of the ring together can cost
  // cost[i * n + j]: least cost of the part between corner i and corner j; apex: the corner that reaches it
  const cost = new Float64Array(n * n);
  const apex = new Int32Array(n * n);
  for (let span = 2; span < n; span++) {
    for (let i = 0; i + span < n; i++) {
      const j = i + span;
      let best = Number.POSITIVE_INFINITY;
      apex[i * n + j] = i + 1; // stays where no cost is a number: the ring is so large that areas overflow
      for (let k = i + 1; k < j; k++) {
        const sum = cost[i * n + k] + cost[k * n + j];
        if (sum >= best) continue;
        const total = sum + costOf(positions, ring[i], ring[k], ring[j]);
        if (total < best) {
          best = total;
          apex[i * n + j] = k;
        }
      }
      const isDiagonal = span < n - 1;
      cost[i * n + j] = isDiagonal && edgeExists(ring[i], ring[j]) ? best + penalty : best;
    }
  }
  const triangles: number[] = [];
  const open: [number, number][] = [[0, n - 1]];
  for (let part = open.pop(); part; part = open.pop()) {
    const [i, j] = part;
    if (j - i < 2) continue;
    const k = apex[i * n + j];
    triangles.push(ring[i], ring[k], ring[j]);
    open.push([k, j], [i, k]);
  }
  return triangles;
}

function perimeterOf(positions: Float64Array, ring: readonly number[]): number {
  return ring.reduce((sum, vertex, i) => sum + distance(positions, vertex, ring[(i + 1) % ring.length]), 0);
}

function costOf(positions: Float64Array, a: number, b: number, c: number): number {
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
  const side = Math.max(ux * ux + uy * uy + uz * uz, vx * vx + vy * vy + vz * vz, wx * wx + wy * wy + wz * wz);
  return Math.sqrt(nx * nx + ny * ny + nz * nz) + SIDE_WEIGHT * side;
}
