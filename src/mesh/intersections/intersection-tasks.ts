import type { MeshGeometry } from '../core/mesh.js';
import { toShared } from '../core/shared-array.js';
import type { Task } from '../core/task-runner.js';
import { markDegenerateInRange } from '../geometry/degenerate-triangles.js';
import { type Bvh, createUnfilledBvh, fillBvhBelow } from '../spatial/bvh.js';
import type { NodePair } from '../spatial/overlapping-pairs.js';
import { type Pruning, pruneBelow } from './prune-nodes.js';
import { type SearchedMesh, searchPairs } from './search-pairs.js';

/** Triangles per part of `MARK_DEGENERATE`. */
const RANGE_SIZE = 2 ** 16;
/** A search counts its pairs for all threads whenever it has tested so many, and at the end of a part. */
const PAIRS_PER_COUNT = 2 ** 10;

/** The task of one part that creates a BVH without boxes in shared memory. */
export const SORT_BVH: Task<MeshGeometry, Bvh> = {
  name: 'sort-bvh',
  runPart: ({ positions, triangles }) => {
    const tree = createUnfilledBvh(positions, triangles, (bytes) => new SharedArrayBuffer(bytes));
    return { ...tree, order: toShared(tree.order) };
  },
};

/** The input of `FILL_BVH`. */
export interface FillInput extends MeshGeometry {
  tree: Bvh;
  /** The leftmost node of a level: each part writes the boxes below one of its nodes. */
  firstNode: number;
}

/** The task that writes the boxes of a BVH, except for those above a level. */
export const FILL_BVH: Task<FillInput, void> = {
  name: 'fill-bvh',
  runPart: ({ positions, triangles, tree, firstNode }, part) =>
    fillBvhBelow(firstNode + part, tree, positions, triangles),
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
  /** The number of tested pairs, in its only element. */
  counter: BigInt64Array;
}

/** The task that tests pairs of triangles. A part stops, or does not start, if more than `maxPairs` were tested in all. */
export const SEARCH_INTERSECTIONS: Task<SearchInput, void> = {
  name: 'search-intersections',
  runPart: (input, part) => {
    const { mesh, tree, pairs, maxPairs, counter } = input;
    if (Atomics.load(counter, 0) > maxPairs) return;
    const [a, b] = pairs[part];
    if (a === b) pruneBelow(a, mesh, tree, input);
    let countedPairs = 0;
    const countUpTo = (count: number): number => {
      const added = BigInt(count - countedPairs);
      countedPairs = count;
      return Number(Atomics.add(counter, 0, added) + added);
    };
    const raiseLimit = (limit: number): number => (countUpTo(limit) > maxPairs ? limit : limit + PAIRS_PER_COUNT);
    countUpTo(searchPairs(input, PAIRS_PER_COUNT, raiseLimit, [a, b]));
  },
};

/** The tasks of this folder. */
export const INTERSECTION_TASKS = [SORT_BVH, FILL_BVH, MARK_DEGENERATE, SEARCH_INTERSECTIONS];
