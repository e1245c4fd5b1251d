import type { IndexedMesh } from '../core/mesh.js';
import { doubleAreaNormal } from '../geometry/double-area-normal.js';
import { buildBvh } from '../spatial/bvh.js';
import { findFirstExit } from '../spatial/first-exit.js';

/** What a spot of the surface is: the wall behind it is thick enough, perhaps too thin, or too thin. */
export const THICK_ENOUGH = 0;
export const POSSIBLY_THIN = 1;
export const THIN = 2;

// The opposite side of a wall faces away, within this angle; what is nearer but more slanted is an edge or a tip.
const WALL_COSINE = Math.cos((50 * Math.PI) / 180);
// Rays lean by this much from straight inward, to all sides, besides the one that does not.
const CONE_SLOPE = Math.tan((20 * Math.PI) / 180);
const CONE_RAYS = 4;

/**
 * Makes a function that judges the wall behind a point of a triangle of `mesh`, which faces outward. Rays go inward: one straight, four leaning by
 * 20 degrees. The wall is thin where the straight one leaves the body before `minThicknessMm`, through a side that faces away within 50
 * degrees; possibly thin where it does so through a more slanted side, as at tips, or where another ray leaves through a side that faces away.
 */
export function createWallProbe(mesh: IndexedMesh, minimalMm: number) {
  const tree = buildBvh(mesh.positions, mesh.triangles);
  const direction = new Float64Array(3);

  const isOpposite = (triangle: number): boolean => {
    const normal = doubleAreaNormal(mesh.positions, mesh.triangles, triangle);
    const along = normal[0] * direction[0] + normal[1] * direction[1] + normal[2] * direction[2];
    return along >= WALL_COSINE * Math.hypot(...normal);
  };

  return (triangle: number, from: Float64Array): number => {
    const normal = doubleAreaNormal(mesh.positions, mesh.triangles, triangle);
    const size = Math.hypot(...normal);
    if (size === 0) return THICK_ENOUGH; // without area there is no inward
    const inward = normal.map((part) => -part / size);
    const [u, v] = orthonormalBasis(inward);
    let worst = THICK_ENOUGH;
    for (let ray = 0; ray <= CONE_RAYS; ray++) {
      const angle = (ray / CONE_RAYS) * 2 * Math.PI;
      const [s, t] = ray === 0 ? [0, 0] : [CONE_SLOPE * Math.cos(angle), CONE_SLOPE * Math.sin(angle)];
      const length = Math.hypot(1, s, t);
      for (let k = 0; k < 3; k++) direction[k] = (inward[k] + s * u[k] + t * v[k]) / length;
      const exit = findFirstExit(mesh, tree, from, direction, minimalMm, triangle);
      if (exit.triangle < 0) continue;
      const hasOpposite = isOpposite(exit.triangle);
      if (ray === 0 && hasOpposite) return THIN;
      // Right beside an edge leaning rays leave through the next side: that is no wall.
      if (ray === 0 || hasOpposite) worst = POSSIBLY_THIN;
    }
    return worst;
  };
}

/** Two directions across another one. */
function orthonormalBasis([x, y, z]: readonly number[]): [number[], number[]] {
  const min = Math.min(Math.abs(x), Math.abs(y), Math.abs(z));
  const [p, q, r] = Math.abs(x) === min ? [1, 0, 0] : Math.abs(y) === min ? [0, 1, 0] : [0, 0, 1];
  const u = [y * r - z * q, z * p - x * r, x * q - y * p];
  const length = Math.hypot(...u);
  const [a, b, c] = u.map((part) => part / length);
  return [
    [a, b, c],
    [y * c - z * b, z * a - x * c, x * b - y * a],
  ];
}
