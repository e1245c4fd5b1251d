import type { IndexedMesh } from '../core/mesh.js';
import { closestPointOnTriangle } from '../geometry/point-triangle-distance.js';
import { type Bvh, buildBvh } from '../spatial/bvh.js';
import { DistanceQuery } from '../spatial/distance-query.js';
import { windingNumber } from '../spatial/winding-number.js';

// Any direction: ambiguous rays are repeated in other directions.
const RAY_SIDE = [0.48, 0.6, 0.64];

/** The side of the surface of a solid. */
export type OffsetSide = 'inside' | 'outside';

/** The distance of points from the surface of a solid in mm, on one side of it. It is negative on the other side. */
export class DepthField {
  readonly #mesh: IndexedMesh;
  readonly #side: OffsetSide;
  readonly #tree: Bvh;
  readonly #distanceQuery: DistanceQuery;
  readonly #minMm: number;
  /** The last ball that the surface does not intersect: x, y, z, radius, 1 if it is inside. The first overlaps no other. */
  readonly #ball = Float64Array.of(0, 0, 0, Number.NEGATIVE_INFINITY, 0);
  readonly #closest = new Float64Array(3);

  /** @param minMm below this, the distance is positive on both sides */
  constructor(mesh: IndexedMesh, side: OffsetSide, minMm: number) {
    this.#mesh = mesh;
    this.#side = side;
    this.#tree = buildBvh(mesh.positions, mesh.triangles);
    this.#distanceQuery = new DistanceQuery(mesh, this.#tree);
    this.#minMm = minMm;
  }

  /**
   * Returns the distance of a point, negative on the other side. The side is decided by the winding number (Jacobson et
   * al. 2013), which is reused for overlapping empty balls.
   */
  depthAt(x: number, y: number, z: number): number {
    const distance = this.#distanceQuery.distanceAt(x, y, z);
    if (distance < this.#minMm) return distance;
    const ball = this.#ball;
    const dx = x - ball[0];
    const dy = y - ball[1];
    const dz = z - ball[2];
    const centerDistance = Math.sqrt(dx * dx + dy * dy + dz * dz);
    if (centerDistance >= (ball[3] + distance) * (1 - 1e-9)) {
      const winding = windingNumber(this.#mesh, this.#tree, [x, y, z], RAY_SIDE, () => true);
      ball[4] = winding > 0 ? 1 : 0;
    }
    ball[0] = x;
    ball[1] = y;
    ball[2] = z;
    ball[3] = distance;
    return (ball[4] === 1) === (this.#side === 'inside') ? distance : -distance;
  }

  /** Returns the distance of a point from the surface. */
  distanceAt(x: number, y: number, z: number): number {
    return this.#distanceQuery.distanceAt(x, y, z);
  }

  /** Moves a point away from the nearest point of the surface, until that is `distanceMm` away, if it is closer. */
  moveAway(point: Float64Array, distanceMm: number): void {
    const { positions, triangles } = this.#mesh;
    const closest = this.#closest;
    const actualMm = this.#distanceQuery.distanceAt(point[0], point[1], point[2]);
    if (actualMm >= distanceMm || actualMm === 0) return;
    const offset = this.#distanceQuery.nearest * 3;
    const [a, b, c] = [triangles[offset] * 3, triangles[offset + 1] * 3, triangles[offset + 2] * 3];
    closestPointOnTriangle(positions, a, b, c, point[0], point[1], point[2], closest);
    for (let k = 0; k < 3; k++) point[k] = closest[k] + ((point[k] - closest[k]) * distanceMm) / actualMm;
  }
}
