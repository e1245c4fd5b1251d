import type { MeshGeometry } from '../core/mesh.js';
import { toShared } from '../core/shared-array.js';
import type { TaskRunner } from '../core/task-runner.js';
import { type Bvh, fillBvhAbove } from '../spatial/bvh.js';
import { buildBvhOf, type MeshIndex } from '../spatial/mesh-index.js';
import { defaultMaxPairs } from './find-intersections.js';
import { countDegenerateParts, FILL_BVH, MARK_DEGENERATE, SORT_BVH } from './intersection-tasks.js';
import { findIntersectionsOf, markDegenerateTrianglesOf } from './mark-intersecting.js';
import { searchWithRunner } from './search-with-runner.js';

/** The maximum number of parts in which the boxes of a BVH are written: a power of two. */
const FILL_PARTS = 64;

/**
 * Finds the intersections of an indexed mesh with the threads of a runner, and provides them, the degenerate triangles
 * and the BVH to the index. They are the same as without a runner. Does nothing if the intersections are known, or if
 * the mesh is small. Leaves a search that exceeds its limits to one thread.
 *
 * @param meanwhile called while other threads work: computes what does not depend on the BVH
 */
export function findIntersectionsWithRunner(index: MeshIndex, runner: TaskRunner, meanwhile?: () => void): void {
  const triangleCount = index.mesh.triangles.length / 3;
  if (triangleCount < Math.max(1, runner.minTriangles) || index.isDerived(findIntersectionsOf)) return;
  const mesh = { positions: toShared(index.mesh.positions), triangles: toShared(index.mesh.triangles) };
  // 1. Build the BVH, and mark the degenerate triangles.
  const isDegenerate = new Uint8Array(new SharedArrayBuffer(triangleCount));
  const finishSort = startBvh(index, mesh, runner);
  const degenerateInput = { ...mesh, isDegenerate };
  const finishDegenerate = runner.start(MARK_DEGENERATE, degenerateInput, countDegenerateParts(triangleCount));
  const twins = toShared(index.twins()); // takes about as long as the sort
  finishDegenerate();
  const finishBvh = finishSort();
  meanwhile?.();
  const tree = finishBvh();
  index.provide(buildBvhOf, tree);
  index.provide(markDegenerateTrianglesOf, isDegenerate);
  // 2. Test pairs of triangles.
  const searched = { mesh, tree, isDegenerate, twins };
  const intersections = searchWithRunner(searched, runner, { maxPairs: defaultMaxPairs(triangleCount) });
  if (intersections) index.provide(findIntersectionsOf, intersections);
}

/**
 * Starts to build the BVH, unless it is known. Returns a function to be called when the triangles may be sorted: it
 * starts the rest, and returns a function that returns the BVH in shared memory.
 */
function startBvh(index: MeshIndex, mesh: MeshGeometry, runner: TaskRunner): () => () => Bvh {
  if (!index.isDerived(buildBvhOf)) {
    const finishSort = runner.start(SORT_BVH, mesh, 1);
    return () => startToFill(finishSort()[0], mesh, runner);
  }
  const { firstLeaf, order, nodeBoxes, boxes } = index.bvh();
  const tree = { firstLeaf, order: toShared(order), nodeBoxes: toShared(nodeBoxes), boxes: toShared(boxes) };
  return () => () => tree;
}

/** Starts to write the boxes of a BVH. Returns a function that returns it with its boxes. */
function startToFill(tree: Bvh, mesh: MeshGeometry, runner: TaskRunner): () => Bvh {
  const firstNode = Math.min(tree.firstLeaf, FILL_PARTS);
  const finishParts = runner.start(FILL_BVH, { ...mesh, tree, firstNode }, firstNode);
  return () => {
    finishParts();
    fillBvhAbove(firstNode, tree);
    return tree;
  };
}
