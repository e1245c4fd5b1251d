import type { MeshGeometry } from '../core/mesh.js';
import { toShared } from '../core/shared-array.js';
import type { Task } from '../core/task-runner.js';
import { markDegenerateInRange } from '../geometry/degenerate-triangles.js';
import { type Bvh, buildBvh } from '../spatial/bvh.js';
import type { NodePair } from '../spatial/overlapping-pairs.js';
import { type Pruning, pruneBelow } from './prune-nodes.js';
import { type SearchedMesh, searchPairs } from './search-pairs.js';

/** Triangles per part of `MARK_DEGENERATE`. */
const RANGE_SIZE = 2 ** 16;
/** A search counts its pairs for all threads whenever it has tested so many. */
const PAIRS_PER_COUNT = 2 ** 16;

/** The task of one part that builds a BVH in shared memory. */
export const BUILD_BVH: Task<MeshGeometry, Bvh> = {
  name: 'build-bvh',
  runPart: ({ positions, triangles }) => {
    const tree = buildBvh(positions, triangles, (bytes) => new SharedArrayBuffer(bytes));
    return { ...tree, order: toShared(tree.order) };
  },
};

/** The input of `MARK_DEGENERATE`. */
export interface DegenerateInput extends MeshGeometry {
  /** triangle → 1 if it is degenerate, set by the task */
  isDegenerate: Uint8Array;
}

/** The task that marks degenerate triangles. */
export const MARK_DEGENERATE: Task<DegenerateInput, void> = {
  name: 'mark-degenerate',
  runPart: ({ isDegenerate, ...mesh }, part) => {
    const first = part * RANGE_SIZE;
    markDegenerateInRange(mesh, first, Math.min(first + RANGE_SIZE, isDegenerate.length), isDegenerate);
  },
};

/** Returns the number of parts of `MARK_DEGENERATE`. */
export function countDegenerateParts(triangleCount: number): number {
  return Math.ceil(triangleCount / RANGE_SIZE);
}

/** The input of `SEARCH_INTERSECTIONS`. */
export interface SearchInput extends SearchedMesh, Pruning {
  isPruned: Uint8Array;
  /** part → the nodes below which it tests pairs: first each node with itself, which prunes what is below it */
  pairs: readonly NodePair[];
  maxPairs: number;
  /** Counts in its only element how often a part has tested `PAIRS_PER_COUNT` pairs. */
  counter: Int32Array;
}

/**
 * The task that tests pairs of triangles. Returns the number of tested pairs. A part stops if more than `maxPairs` were
 * tested in all.
 */
export const SEARCH_INTERSECTIONS: Task<SearchInput, number> = {
  name: 'search-intersections',
  runPart: (input, part) => {
    const { mesh, tree, pairs, maxPairs, counter } = input;
    const [a, b] = pairs[part];
    if (a === b) pruneBelow(a, mesh, tree, input);
    const raiseLimit = (limit: number): number => {
      const count = (Atomics.add(counter, 0, 1) + 1) * PAIRS_PER_COUNT;
      return count > maxPairs ? limit : limit + PAIRS_PER_COUNT;
    };
    return searchPairs(input, PAIRS_PER_COUNT, raiseLimit, [a, b]);
  },
};

/** The tasks of this folder. */
export const INTERSECTION_TASKS = [BUILD_BVH, MARK_DEGENERATE, SEARCH_INTERSECTIONS];
