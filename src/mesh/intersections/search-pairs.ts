import type { MeshGeometry } from '../core/mesh.js';
import { orient3dSign } from '../geometry/predicates.js';
import type { Bvh } from '../spatial/bvh.js';
import { forEachOverlappingPair, type NodePair } from '../spatial/overlapping-pairs.js';
import { hasCorner } from '../topology/half-edge.js';
import { classifyTrianglePair } from './classify-triangle-pair.js';
import type { NodeSeparation } from './node-separation.js';

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

/** A mesh in which pairs of triangles are tested. */
export interface SearchedMesh {
  mesh: MeshGeometry;
  tree: Bvh;
  /** triangle → 1 if it is degenerate */
  isDegenerate: Uint8Array;
  /** node → 1 if pairs within it are skipped. Default: none. */
  isPruned?: Uint8Array | undefined;
  /** triangle → 1 if its pairs are tested. Default: all. */
  isRelevant?: Uint8Array | undefined;
  /** Tests whether the pairs between two nodes are skipped. Default: none. */
  areApart?: NodeSeparation | undefined;
  /** triangle → `CROSSES`, `OVERLAPS` or both, set by the search */
  marks: Uint8Array;
}

// Bits of a triangle's mark.
const CROSSES = 1;
const OVERLAPS = 2;

/**
 * Tests the pairs of triangles with touching boxes, and marks those that intersect. Returns the number of pairs: one
 * more than the limit if it stopped there. The marks do not depend on the order of the pairs.
 *
 * @param raiseLimit called at `maxPairs`: returns a higher limit, or the same to stop. Default: stops.
 * @param pair the nodes below which the pairs are. Default: all pairs.
 */
export function searchPairs(
  { mesh, tree, isDegenerate, isPruned, isRelevant, areApart, marks }: SearchedMesh,
  maxPairs: number,
  raiseLimit = (limit: number): number => limit,
  pair?: NodePair,
): number {
  const { positions, triangles } = mesh;
  let checkedPairs = 0;
  let limit = maxPairs;
  const visit = (a: number, b: number): boolean => {
    if (++checkedPairs > limit) {
      limit = raiseLimit(limit);
      if (checkedPairs > limit) return false;
    }
    if (isDegenerate[a] === 1 || isDegenerate[b] === 1) return true;
    // Of two triangles that are known to cross others, only whether they overlap is left to find out.
    if ((marks[a] & marks[b] & CROSSES) !== 0 && !mayOverlap(mesh, a, b)) return true;
    const relation = classifyTrianglePair(positions, triangles, a, b);
    if (relation === 'apart') return true;
    const mark = relation === 'crossing' ? CROSSES : OVERLAPS;
    // Another thread may mark the same triangle.
    Atomics.or(marks, a, mark);
    Atomics.or(marks, b, mark);
    return true;
  };
  forEachOverlappingPair(tree, visit, isPruned, isRelevant, pair, areApart);
  return checkedPairs;
}

/** Returns whether a corner of triangle `b` that is not one of `a` lies in the plane of `a`. Exact. */
function mayOverlap({ positions, triangles }: MeshGeometry, a: number, b: number): boolean {
  for (let h = b * 3; h < b * 3 + 3; h++) {
    if (hasCorner(triangles, a, triangles[h])) continue;
    return orient3dSign(positions, triangles[a * 3], triangles[a * 3 + 1], triangles[a * 3 + 2], triangles[h]) === 0;
  }
  return true;
}

/** Lists the marked triangles. */
export function toIntersections(marks: Uint8Array, checkedPairs: number, isComplete: boolean): Intersections {
  const [crossing, overlapping] = [collectMarked(marks, CROSSES), collectMarked(marks, OVERLAPS)];
  return { crossing, overlapping, checkedPairs, isComplete };
}

/** Returns the triangles with a mark, in ascending order. */
function collectMarked(marks: Uint8Array, mark: number): Uint32Array {
  const matches: number[] = [];
  for (let triangle = 0; triangle < marks.length; triangle++)
    if ((marks[triangle] & mark) !== 0) matches.push(triangle);
  return Uint32Array.from(matches);
}
