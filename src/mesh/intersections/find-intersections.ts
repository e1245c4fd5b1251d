import type { MeshGeometry } from '../core/mesh.js';
import { markDegenerateTriangles } from '../geometry/degenerate-triangles.js';
import { orient3dSign } from '../geometry/predicates.js';
import { type Bvh, buildBvh } from '../spatial/bvh.js';
import { forEachOverlappingPair } from '../spatial/overlapping-pairs.js';
import { hasCorner } from '../topology/half-edge.js';
import { classifyTrianglePair } from './classify-triangle-pair.js';
import { markNonSelfIntersectingNodes } from './prune-nodes.js';

/** Default limit of pairs with touching boxes, per triangle. Closed surfaces need about 12. */
const MAX_PAIRS_PER_TRIANGLE = 100;
/** Default limit for small meshes. Testing this many pairs takes a few seconds. */
const MIN_PAIR_BUDGET = 5_000_000;

/** The triangles of a mesh that cross or overlap others. */
export interface Intersections {
  /** Triangles that cross or touch another beyond the vertices that they share, in ascending order. */
  crossing: Uint32Array;
  /** Triangles that are coplanar with another and share area with it, in ascending order. */
  overlapping: Uint32Array;
  /** Number of pairs of triangles with touching boxes that were visited. */
  checkedPairs: number;
  /** False if the search stopped at `maxPairs`. The lists are then incomplete. */
  isComplete: boolean;
}

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

// Bits of a triangle's mark.
const CROSSES = 1;
const OVERLAPS = 2;

/**
 * Finds all triangles that intersect another beyond the vertices and edges that they share. Exact. Skips degenerate
 * triangles. Vertices must be welded: distinct vertices at the same position count as touching.
 */
export function findIntersections(mesh: MeshGeometry, options: IntersectionOptions = {}): Intersections {
  const triangleCount = mesh.triangles.length / 3;
  const tree = options.tree ?? buildBvh(mesh.positions, mesh.triangles);
  const isDegenerate = options.isDegenerate ?? markDegenerateTriangles(mesh);
  const marks = new Uint8Array(triangleCount);
  const maxPairs = options.maxPairs ?? Math.max(MIN_PAIR_BUDGET, triangleCount * MAX_PAIRS_PER_TRIANGLE);
  let checkedPairs = 0;
  const visit = (a: number, b: number): boolean => {
    if (++checkedPairs > maxPairs) return false;
    if (isDegenerate[a] === 1 || isDegenerate[b] === 1) return true;
    // Of two triangles that are known to cross others, only whether they overlap is left to find out.
    if ((marks[a] & marks[b] & CROSSES) !== 0 && !mayOverlap(mesh, a, b)) return true;
    const relation = classifyTrianglePair(mesh.positions, mesh.triangles, a, b);
    if (relation === 'apart') return true;
    const mark = relation === 'crossing' ? CROSSES : OVERLAPS;
    marks[a] |= mark;
    marks[b] |= mark;
    return true;
  };
  const isPruned = options.twins && markNonSelfIntersectingNodes(mesh, tree, options.twins);
  forEachOverlappingPair(tree, visit, isPruned, options.isRelevant);
  return {
    crossing: collectMarked(marks, CROSSES),
    overlapping: collectMarked(marks, OVERLAPS),
    checkedPairs,
    isComplete: checkedPairs <= maxPairs,
  };
}

/** Returns whether a corner of triangle `b` that is not one of `a` lies in the plane of `a`. Exact. */
function mayOverlap({ positions, triangles }: MeshGeometry, a: number, b: number): boolean {
  for (let h = b * 3; h < b * 3 + 3; h++) {
    if (hasCorner(triangles, a, triangles[h])) continue;
    return orient3dSign(positions, triangles[a * 3], triangles[a * 3 + 1], triangles[a * 3 + 2], triangles[h]) === 0;
  }
  return true;
}

/** Returns the triangles with a mark, in ascending order. */
function collectMarked(marks: Uint8Array, mark: number): Uint32Array {
  const matches: number[] = [];
  for (let triangle = 0; triangle < marks.length; triangle++)
    if ((marks[triangle] & mark) !== 0) matches.push(triangle);
  return Uint32Array.from(matches);
}
