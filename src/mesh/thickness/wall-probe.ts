import type { IndexedMesh } from '../core/mesh.js';
import { completeBasis } from '../core/vec3.js';
import { doubleAreaNormal } from '../geometry/double-area-normal.js';
import { buildBvh } from '../spatial/bvh.js';
import { FirstExitQuery } from '../spatial/first-exit.js';

/** Classes of a point of the surface: the wall behind it is thick enough, possibly too thin, or too thin. */
export const THICK_ENOUGH = 0;
export const POSSIBLY_THIN = 1;
export const THIN = 2;

/** The opposite side of a wall faces away within this angle. A more oblique surface belongs to an edge or a tip. */
const WALL_COSINE = Math.cos((50 * Math.PI) / 180);
/** Slope of the oblique rays against the inward normal. */
const CONE_SLOPE = Math.tan((20 * Math.PI) / 180);
const CONE_RAYS = 4;
/** Enlarges the box of the rays, as a fraction of their length. */
const REACH_MARGIN = 1e-6;

/** Receives a point where the wall is thin, and its thickness. The point changes afterwards. */
export type OnThinWall = (point: Float64Array, thicknessMm: number) => void;

/** Classifies the wall behind a point on a triangle. */
export type WallProbe = (triangle: number, from: Float64Array) => number;

/**
 * Creates a function that classifies the wall behind a point on a triangle of `mesh`, which must face outward. It casts
 * five rays into the body: one along the inward normal and four tilted by 20 degrees. The wall is thin if the first ray
 * leaves the body within `minThicknessMm` through a side that faces away within 50 degrees. It is possibly thin if the
 * first ray leaves through a more oblique side, as at tips, or if a tilted ray leaves through a side that faces away.
 * After the work of `maxVisits` of nodes of the BVH, all further points count as possibly thin.
 */
export function createWallProbe(
  mesh: IndexedMesh,
  minThicknessMm: number,
  onThinWall: OnThinWall,
  maxVisits = Number.POSITIVE_INFINITY,
): WallProbe {
  const { positions, triangles } = mesh;
  const firstExit = new FirstExitQuery(mesh, buildBvh(positions, triangles));
  let directions = new Float64Array(); // of the rays from `directionsOf`
  let directionsOf = -1;
  const reach = new Float64Array(6); // the box of the ends of the rays, relative to their start
  const region = new Float64Array(6);

  const isOpposite = (triangle: number, offset: number): boolean => {
    const [x, y, z] = doubleAreaNormal(positions, triangles, triangle);
    const cosineTimesLength = x * directions[offset] + y * directions[offset + 1] + z * directions[offset + 2];
    return cosineTimesLength >= WALL_COSINE * Math.sqrt(x * x + y * y + z * z);
  };

  return (triangle, from) => {
    if (firstExit.visitCount > maxVisits) return POSSIBLY_THIN;
    if (triangle !== directionsOf) {
      directions = createDirections(doubleAreaNormal(positions, triangles, triangle));
      directionsOf = triangle;
      writeReach(directions, minThicknessMm, reach);
    }
    for (let k = 0; k < 6; k++) region[k] = from[k % 3] + reach[k];
    firstExit.setRegion(region);
    for (let offset = 0; offset < directions.length; offset += 3) {
      const exit = firstExit.find(from, directions, offset, minThicknessMm, triangle);
      if (exit < 0) continue;
      const hasOpposite = isOpposite(exit, offset);
      if (offset === 0 && hasOpposite) {
        onThinWall(from, firstExit.exitMm);
        return THIN;
      }
      // Near an edge, tilted rays leave through the adjacent side, which is not the opposite side of a wall.
      if (offset === 0 || hasOpposite) return POSSIBLY_THIN;
    }
    return THICK_ENOUGH;
  };
}

/** Writes the box of the rays with their start at the origin: min x, y, z, max x, y, z. A little larger, for rounding. */
function writeReach(directions: Float64Array, lengthMm: number, reach: Float64Array): void {
  reach.fill(-REACH_MARGIN * lengthMm, 0, 3);
  reach.fill(REACH_MARGIN * lengthMm, 3);
  for (let i = 0; i < directions.length; i++) {
    const endMm = directions[i] * lengthMm;
    reach[i % 3] = Math.min(reach[i % 3], endMm - REACH_MARGIN * lengthMm);
    reach[3 + (i % 3)] = Math.max(reach[3 + (i % 3)], endMm + REACH_MARGIN * lengthMm);
  }
}

/** Returns the unit vectors of the rays from a triangle. None if it is degenerate and has no normal. */
function createDirections(normal: readonly number[]): Float64Array<ArrayBuffer> {
  const size = Math.hypot(...normal);
  if (size === 0) return new Float64Array();
  const inward = normal.map((part) => -part / size);
  const [u, v] = completeBasis(inward);
  const directions = new Float64Array((CONE_RAYS + 1) * 3);
  for (let ray = 0; ray <= CONE_RAYS; ray++) {
    const angle = (ray / CONE_RAYS) * 2 * Math.PI;
    const [s, t] = ray === 0 ? [0, 0] : [CONE_SLOPE * Math.cos(angle), CONE_SLOPE * Math.sin(angle)];
    const length = Math.hypot(1, s, t);
    for (let k = 0; k < 3; k++) directions[ray * 3 + k] = (inward[k] + s * u[k] + t * v[k]) / length;
  }
  return directions;
}
