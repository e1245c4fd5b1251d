import type { IndexedMesh } from '../core/mesh.js';
import { completeBasis } from '../core/vec3.js';
import { doubleAreaNormal } from '../geometry/double-area-normal.js';
import { buildBvh } from '../spatial/bvh.js';
import { findFirstExit } from '../spatial/first-exit.js';

/** Classes of a point of the surface: the wall behind it is thick enough, possibly too thin, or too thin. */
export const THICK_ENOUGH = 0;
export const POSSIBLY_THIN = 1;
export const THIN = 2;

/** The opposite side of a wall faces away within this angle. A more oblique surface belongs to an edge or a tip. */
const WALL_COSINE = Math.cos((50 * Math.PI) / 180);
/** Slope of the oblique rays against the inward normal. */
const CONE_SLOPE = Math.tan((20 * Math.PI) / 180);
const CONE_RAYS = 4;

/**
 * Creates a function that classifies the wall behind a point on a triangle of `mesh`, which must face outward. It casts
 * five rays into the body: one along the inward normal and four tilted by 20 degrees. The wall is thin if the first ray
 * leaves the body within `minThicknessMm` through a side that faces away within 50 degrees. It is possibly thin if the
 * first ray leaves through a more oblique side, as at tips, or if a tilted ray leaves through a side that faces away.
 */
export function createWallProbe(mesh: IndexedMesh, minThicknessMm: number) {
  const tree = buildBvh(mesh.positions, mesh.triangles);
  const direction = new Float64Array(3);

  const isOpposite = (triangle: number): boolean => {
    const normal = doubleAreaNormal(mesh.positions, mesh.triangles, triangle);
    const cosineTimesLength = normal[0] * direction[0] + normal[1] * direction[1] + normal[2] * direction[2];
    return cosineTimesLength >= WALL_COSINE * Math.hypot(...normal);
  };

  return (triangle: number, from: Float64Array): number => {
    const normal = doubleAreaNormal(mesh.positions, mesh.triangles, triangle);
    const size = Math.hypot(...normal);
    if (size === 0) return THICK_ENOUGH; // a degenerate triangle has no normal
    const inward = normal.map((part) => -part / size);
    const [u, v] = completeBasis(inward);
    let worst = THICK_ENOUGH;
    for (let ray = 0; ray <= CONE_RAYS; ray++) {
      const angle = (ray / CONE_RAYS) * 2 * Math.PI;
      const [s, t] = ray === 0 ? [0, 0] : [CONE_SLOPE * Math.cos(angle), CONE_SLOPE * Math.sin(angle)];
      const length = Math.hypot(1, s, t);
      for (let k = 0; k < 3; k++) direction[k] = (inward[k] + s * u[k] + t * v[k]) / length;
      const exit = findFirstExit(mesh, tree, from, direction, minThicknessMm, triangle);
      if (exit.triangle < 0) continue;
      const hasOpposite = isOpposite(exit.triangle);
      if (ray === 0 && hasOpposite) return THIN;
      // Near an edge, tilted rays leave through the adjacent side, which is not the opposite side of a wall.
      if (ray === 0 || hasOpposite) worst = POSSIBLY_THIN;
    }
    return worst;
  };
}
