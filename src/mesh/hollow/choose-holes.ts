import type { MeshGeometry } from '../core/mesh.js';
import { subtract } from '../core/vec3.js';
import { measureGroups } from '../geometry/measure-groups.js';
import { createMeshIndex } from '../spatial/mesh-index.js';
import { findPools, type Pool, type UpAxis } from './find-pools.js';
import { createHoleFitter, type Hole } from './fit-hole.js';
import { createFloorRanking } from './rank-floor.js';

export interface HoleOptions {
  /** Holes of each cavity. */
  countPerCavity: number;
  diameterMm: number;
  upAxis: UpAxis;
  wallMm: number;
}

/** The holes of a cavity. */
export interface CavityHoles {
  holes: Hole[];
  /** x, y, z of its lowest point in mm. */
  lowest: number[];
}

/** Limit of the holes of a model: the smallest cavities get none. */
const MAX_HOLES = 100;
/** Pools less deep than this fraction of the wall thickness are parts of others: the surface is not smooth. */
const POOL_DEPTH_FRACTION = 0.25;
/** The height of the floor of a pool, as a fraction of the wall thickness. */
const FLOOR_HEIGHT_FRACTION = 0.1;
/** The heights of floors that are used while lower ones have no room, in diameters. */
const HIGHER_FLOORS = [1, 4];
/** Points of a floor at which a hole is tried. */
const MAX_TRIES = 24;
/** The least distance between the mouths of holes, in diameters. */
const MIN_SPACING = 2;

/**
 * Chooses where to drain cavities. Each cavity gets its holes in its pools, from the lowest on, then again from the
 * lowest on while they have room, then higher. The first hole of a pool is in the middle of its floor, the others are as
 * far as possible from those before them.
 *
 * @param outer the outermost shells of the model
 * @param cavity the surface of the cavities, facing away from them
 * @returns cavities by volume, largest first
 */
export function chooseHoles(outer: MeshGeometry, cavity: MeshGeometry, options: HoleOptions): CavityHoles[] {
  const { countPerCavity, diameterMm, upAxis, wallMm } = options;
  const shells = createMeshIndex(cavity).shells();
  const { volumeMm3 } = measureGroups(cavity, shells.shellOf, shells.count);
  const poolsOf = Array.from({ length: shells.count }, (): Pool[] => []);
  for (const pool of findPools(cavity, upAxis, wallMm * POOL_DEPTH_FRACTION))
    poolsOf[shells.shellOf[pool.triangle]].push(pool);
  // A shell that faces inward is a body in a cavity.
  const cavities = poolsOf.map((_, shell) => shell).filter((shell) => volumeMm3[shell] > 0);
  const heightsMm = [wallMm * FLOOR_HEIGHT_FRACTION, ...HIGHER_FLOORS.map((diameters) => diameters * diameterMm)];
  const placeHole = createPlacement(outer, cavity, options);
  let count = 0;
  return cavities
    .sort((a, b) => volumeMm3[b] - volumeMm3[a] || a - b)
    .map((shell) => {
      const pools = poolsOf[shell].map((pool): PoolHoles => ({ pool, holes: [] }));
      const holes: Hole[] = [];
      const maxCount = Math.min(countPerCavity, MAX_HOLES - count);
      for (const heightMm of heightsMm) fillPools(pools, heightMm, holes, maxCount, placeHole);
      count += holes.length;
      return { holes, lowest: poolsOf[shell][0].lowest };
    });
}

/** Returns a hole on a floor of a pool; `undefined` if none fits. `existing`: the holes of the pool. */
type HolePlacement = (pool: Pool, heightMm: number, existing: readonly Hole[]) => Hole | undefined;

/** The holes of a pool. */
interface PoolHoles {
  pool: Pool;
  holes: Hole[];
}

/** Adds holes in the pools of a cavity in turn, while they fit, up to a number of all. */
function fillPools(
  pools: readonly PoolHoles[],
  heightMm: number,
  holes: Hole[],
  maxCount: number,
  placeHole: HolePlacement,
): void {
  let remaining = pools;
  while (remaining.length > 0 && holes.length < maxCount) {
    remaining = remaining.filter((one) => {
      if (holes.length === maxCount) return false;
      const hole = placeHole(one.pool, heightMm, one.holes);
      if (hole === undefined) return false;
      one.holes.push(hole);
      holes.push(hole);
      return true;
    });
  }
}

/** Creates the placement of holes of a model. Keeps all of its holes apart. */
function createPlacement(outer: MeshGeometry, cavity: MeshGeometry, options: HoleOptions): HolePlacement {
  const { diameterMm, upAxis } = options;
  const fitHole = createHoleFitter(outer, cavity, diameterMm / 2);
  const rankFloor = createFloorRanking(cavity, diameterMm / 2, upAxis);
  const used: Hole[] = [];
  return (pool, heightMm, existing) => {
    const points = rankFloor(
      pool.collectFloor(heightMm),
      existing.map(({ mouth }) => mouth),
    );
    for (const point of points.slice(0, MAX_TRIES)) {
      const hole = fitHole(point);
      if (hole === undefined) continue;
      if (used.some(({ mouth }) => Math.hypot(...subtract(mouth, hole.mouth)) < MIN_SPACING * diameterMm)) continue;
      used.push(hole);
      return hole;
    }
    return undefined;
  };
}
