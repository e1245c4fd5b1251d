import type { MeshGeometry } from '../core/mesh.js';
import { markDegenerateTriangles } from '../geometry/degenerate-triangles.js';
import { type Bvh, buildBvh } from '../spatial/bvh.js';
import { markNonSelfIntersectingNodes } from './prune-nodes.js';
import { type Intersections, searchPairs, toIntersections } from './search-pairs.js';

/** Default limit of pairs with touching boxes, per triangle. Closed surfaces need about 12. */
const MAX_PAIRS_PER_TRIANGLE = 100;
/** Default limit for small meshes. Testing this many pairs takes a few seconds. */
const MIN_PAIR_BUDGET = 5_000_000;

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
  const tree = options.tree ?? buildBvh(mesh.positions, mesh.triangles);
  const isDegenerate = options.isDegenerate ?? markDegenerateTriangles(mesh);
  const marks = new Uint8Array(triangleCount);
  const maxPairs = options.maxPairs ?? defaultMaxPairs(triangleCount);
  const isPruned = options.twins && markNonSelfIntersectingNodes(mesh, tree, options.twins);
  const checkedPairs = searchPairs(
    { mesh, tree, isDegenerate, isPruned, isRelevant: options.isRelevant, marks },
    maxPairs,
  );
  return toIntersections(marks, checkedPairs, checkedPairs <= maxPairs);
}

/** Returns the default limit of pairs to test in a mesh. */
export function defaultMaxPairs(triangleCount: number): number {
  return Math.max(MIN_PAIR_BUDGET, triangleCount * MAX_PAIRS_PER_TRIANGLE);
}
