import type { IndexedMesh } from '../core/mesh.js';
import type { WorkCounter } from '../core/work-counter.js';
import { doubleAreaNormal } from '../geometry/double-area-normal.js';
import type { Bvh } from '../spatial/bvh.js';
import { RAY_TILTS } from '../spatial/ray-tilts.js';
import { windingNumber } from '../spatial/winding-number.js';
import { buildEdges, findTwins } from '../topology/edges.js';
import { findTwinShells, type Shells } from '../topology/shells.js';
import type { SplitMesh } from './split-triangles.js';

/** Rays cast for each patch at most. */
const MAX_RAYS = 5;
/** Equal results that end the vote. */
const QUORUM = 3;

/** Units of work per ray, besides those of the triangles that it is tested against. */
const RAY_WORK = 16;

/** The patches of a mesh, as shells of triangles connected through twins, with their winding numbers. */
export interface Patches extends Shells {
  /** patch → winding number in front of it; it is one higher behind */
  windingInFront: Int32Array;
}

/**
 * Finds the patches of a split mesh and the winding number of the source surface in front of each (the cells of Zhou et
 * al. 2016). Casts rays from the largest triangle of each patch.
 *
 * @param source the closed mesh before the split
 * @param tree the BVH of `source`
 * @param work counts rays and the triangles that they are tested against
 * @returns `undefined` if the work exceeds its limit
 */
export function findPatches(source: IndexedMesh, tree: Bvh, split: SplitMesh, work: WorkCounter): Patches | undefined {
  const { positions, triangles } = split;
  const twins = findTwins(triangles, buildEdges(triangles, positions.length / 3));
  const patches = findTwinShells(twins);
  const largest = new Int32Array(patches.count).fill(-1);
  const areas = new Float64Array(patches.count);
  for (let triangle = 0; triangle < patches.shellOf.length; triangle++) {
    const patch = patches.shellOf[triangle];
    const area = Math.hypot(...doubleAreaNormal(positions, triangles, triangle));
    if (largest[patch] >= 0 && area <= areas[patch]) continue;
    largest[patch] = triangle;
    areas[patch] = area;
  }
  const windingInFront = new Int32Array(patches.count);
  for (let patch = 0; patch < patches.count; patch++) {
    if (work.isExceeded()) return undefined;
    windingInFront[patch] = computeWindingInFront(source, tree, split, largest[patch], work);
  }
  return { ...patches, windingInFront };
}

/** Computes the winding number in front of a triangle, by a majority vote of rays with different directions. */
function computeWindingInFront(
  source: IndexedMesh,
  tree: Bvh,
  split: SplitMesh,
  triangle: number,
  work: WorkCounter,
): number {
  const parent = split.parentOf[triangle];
  const normal = doubleAreaNormal(source.positions, source.triangles, parent);
  const length = Math.hypot(...normal);
  const corners = [0, 1, 2].map((k) => split.triangles[triangle * 3 + k] * 3);
  const centroid = [0, 1, 2].map(
    (axis) => corners.reduce((sum, offset) => sum + split.positions[offset + axis], 0) / 3,
  );
  const votes = new Map<number, number>();
  let best = 0;
  for (let ray = 0; ray < MAX_RAYS; ray++) {
    const toward = normal.map((part, k) => part / length + RAY_TILTS[ray][k]);
    let testCount = RAY_WORK;
    const winding = windingNumber(source, tree, centroid, toward, (other) => {
      testCount++;
      return other !== parent;
    });
    work.add(testCount);
    const count = (votes.get(winding) ?? 0) + 1;
    votes.set(winding, count);
    if (count > (votes.get(best) ?? 0)) best = winding;
    if (count === QUORUM) break;
  }
  return best;
}
