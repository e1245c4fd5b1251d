import type { MeshGeometry } from '../core/mesh.js';
import { toShared } from '../core/shared-array.js';
import type { TaskRunner } from '../core/task-runner.js';
import type { Bvh } from '../spatial/bvh.js';
import { buildBvhOf, type MeshIndex } from '../spatial/mesh-index.js';
import { defaultMaxPairs } from './find-intersections.js';
import { BUILD_BVH, countDegenerateParts, MARK_DEGENERATE } from './intersection-tasks.js';
import { findIntersectionsOf, markDegenerateTrianglesOf } from './mark-intersecting.js';
import { searchWithRunner } from './search-with-runner.js';

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
  const finishBvh = startBvh(index, mesh, runner);
  const degenerateInput = { ...mesh, isDegenerate };
  const finishDegenerate = runner.start(MARK_DEGENERATE, degenerateInput, countDegenerateParts(triangleCount));
  const twins = toShared(index.twins());
  meanwhile?.();
  finishDegenerate();
  const tree = finishBvh();
  index.provide(buildBvhOf, tree);
  index.provide(markDegenerateTrianglesOf, isDegenerate);
  // 2. Test pairs of triangles.
  const searched = { mesh, tree, isDegenerate, twins };
  const intersections = searchWithRunner(searched, runner, { maxPairs: defaultMaxPairs(triangleCount) });
  if (intersections) index.provide(findIntersectionsOf, intersections);
}

/** Starts to build the BVH, unless it is known. Returns a function that returns it, in shared memory. */
function startBvh(index: MeshIndex, mesh: MeshGeometry, runner: TaskRunner): () => Bvh {
  if (!index.isDerived(buildBvhOf)) {
    const finish = runner.start(BUILD_BVH, mesh, 1);
    return () => finish()[0];
  }
  const { firstLeaf, order, nodeBoxes, boxes } = index.bvh();
  const shared = { order: toShared(order), nodeBoxes: toShared(nodeBoxes), boxes: toShared(boxes) };
  return () => ({ firstLeaf, ...shared });
}
