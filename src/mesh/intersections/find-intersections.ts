import type { MeshGeometry } from '../core/mesh.js';
import { createWorkCounter } from '../core/work-counter.js';
import { markDegenerateTriangles } from '../geometry/degenerate-triangles.js';
import { type Bvh, buildBvh } from '../spatial/bvh.js';
import { medianOrder } from '../spatial/median-order.js';
import { NO_TWIN } from '../topology/edges.js';
import { createNodeSeparation } from './node-separation.js';
import { markNonSelfIntersectingNodes } from './prune-nodes.js';
import { type Intersections, type SearchedMesh, searchPairs, toIntersections } from './search-pairs.js';

/** Default limit of pairs with touching boxes, per triangle. Closed surfaces need about 12. */
export const MAX_PAIRS_PER_TRIANGLE = 100;
/** Default limit for small meshes. Testing this many pairs takes a few seconds. */
export const MIN_PAIR_BUDGET = 5_000_000;

/** Limit of visits to vertices in the search for nodes that are apart, per triangle and level. A cone needs about 16. */
export const MAX_VERTEX_VISITS = 100;

/** Options of `findIntersections`. */
export interface IntersectionOptions {
  /** The BVH of the mesh. Default: builds one. */
  tree?: Bvh;
  /** triangle → 1 if it is degenerate. Default: computes it. */
  isDegenerate?: Uint8Array;
  /** half-edge → twin. If given, the contour test replaces most pair tests. */
  twins?: Int32Array | undefined;
  /** triangle → 1 if its pairs are tested: others are known not to intersect each other. Default: all */
  isRelevant?: Uint8Array | undefined;
  /** Limit of pairs to test. Default: 100 per triangle, but at least five million. */
  maxPairs?: number;
}

/**
 * Finds all triangles that intersect another beyond the vertices and edges that they share. Exact. Skips degenerate
 * triangles. Vertices must be welded: distinct vertices at the same position count as touching.
 */
export function findIntersections(mesh: MeshGeometry, options: IntersectionOptions = {}): Intersections {
  const triangleCount = mesh.triangles.length / 3;
  const { isRelevant, twins } = options;
  const tree = options.tree ?? buildBvh(mesh.positions, mesh.triangles);
  const isDegenerate = options.isDegenerate ?? markDegenerateTriangles(mesh);
  const marks = new Uint8Array(triangleCount);
  const maxPairs = options.maxPairs ?? defaultMaxPairs(triangleCount);
  const isPruned = twins && markNonSelfIntersectingNodes(mesh, tree, twins);
  const checkedPairs = searchPairs({ mesh, tree, isDegenerate, isPruned, isRelevant, marks }, maxPairs);
  if (checkedPairs <= maxPairs) return toIntersections(marks, checkedPairs, true);
  // A surface that is not closed is no solid in any case.
  if (!twins?.every((twin) => twin !== NO_TWIN)) return toIntersections(marks, checkedPairs, false);
  const separatedPairs = searchSeparatedPairs({ mesh, isDegenerate, isRelevant, marks }, maxPairs);
  return toIntersections(marks, checkedPairs + separatedPairs, separatedPairs <= maxPairs);
}

/** Tests pairs like `searchPairs`, but skips those of nodes that are apart although their boxes touch. */
function searchSeparatedPairs(searched: Omit<SearchedMesh, 'tree'>, maxPairs: number): number {
  const { positions, triangles } = searched.mesh;
  const triangleCount = triangles.length / 3;
  const tree = buildBvh(positions, triangles, medianOrder);
  const work = createWorkCounter(MAX_VERTEX_VISITS * triangleCount * Math.log2(triangleCount));
  return searchPairs({ ...searched, tree, areApart: createNodeSeparation(searched.mesh, tree, work) }, maxPairs);
}

/** Returns the default limit of pairs to test in a mesh. */
export function defaultMaxPairs(triangleCount: number): number {
  return Math.max(MIN_PAIR_BUDGET, triangleCount * MAX_PAIRS_PER_TRIANGLE);
}
