import type { MeshGeometry } from '../core/mesh.js';
import type { TaskRunner } from '../core/task-runner.js';
import { type Bvh, LEAF_SIZE } from '../spatial/bvh.js';
import { listNodePairs } from '../spatial/overlapping-pairs.js';
import { SEARCH_INTERSECTIONS, type SearchInput } from './intersection-tasks.js';
import { invertOrder, MAX_NODE_TRIANGLES } from './prune-nodes.js';
import { type Intersections, toIntersections } from './search-pairs.js';

/**
 * Default limit of parts. Surfaces need about ten for each node of at most 16,384 triangles. If the boxes of all nodes
 * touch, the number of parts grows with the square of the mesh.
 */
const MAX_PARTS = 2 ** 15;

/** A mesh whose intersections are searched by several threads, in shared memory. */
export interface SharedSearch {
  mesh: MeshGeometry;
  tree: Bvh;
  /** triangle → 1 if it is degenerate */
  isDegenerate: Uint8Array;
  /** half-edge → twin */
  twins: Int32Array;
}

/**
 * Finds the intersections of a mesh with the threads of a runner: the same as `findIntersections`. Returns `undefined`
 * if there are more pairs of triangles than `maxPairs`, because the result of a limited search depends on the order of
 * its pairs, or more parts than `maxParts`.
 */
export function searchWithRunner(
  { mesh, tree, isDegenerate, twins }: SharedSearch,
  runner: TaskRunner,
  { maxPairs, maxParts = MAX_PARTS }: { maxPairs: number; maxParts?: number },
): Intersections | undefined {
  // Below a node of the level that is chosen here, pairs are skipped as in one thread.
  const firstNode = Math.max(1, (tree.firstLeaf * LEAF_SIZE) / MAX_NODE_TRIANGLES);
  const pairs = listNodePairs(tree, firstNode, maxParts);
  if (!pairs) return undefined;
  const input: SearchInput = {
    ...{ mesh, tree, isDegenerate, pairs, twins, maxPairs },
    isPruned: new Uint8Array(new SharedArrayBuffer(tree.firstLeaf * 2)),
    facingMasks: new Uint8Array(new SharedArrayBuffer(tree.firstLeaf * 2)),
    marks: new Uint8Array(new SharedArrayBuffer(isDegenerate.length)),
    slotOf: invertOrder(tree.order, new Uint32Array(new SharedArrayBuffer(tree.order.byteLength))),
    counter: new BigInt64Array(new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT)),
  };
  runner.start(SEARCH_INTERSECTIONS, input, pairs.length)();
  const checkedPairs = Number(Atomics.load(input.counter, 0));
  return checkedPairs > maxPairs ? undefined : toIntersections(input.marks, checkedPairs, true);
}
