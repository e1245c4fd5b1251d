import type { MeshGeometry } from '../core/mesh.js';
import { markDegenerateTriangles } from '../geometry/degenerate-triangles.js';
import { type Bvh, buildBvh } from '../spatial/bvh.js';
import { forEachOverlappingPair } from '../spatial/overlapping-pairs.js';
import { classifyTrianglePair } from './classify-triangle-pair.js';
import { markNonSelfIntersectingNodes } from './prune-nodes.js';

/** Pairs of triangles with touching boxes, for each triangle of the mesh: closed surfaces need about 12. */
const MAX_PAIRS_PER_TRIANGLE = 100;
/** Small meshes are always looked at in full: this many pairs take some seconds. */
const MIN_PAIR_BUDGET = 5_000_000;

/** Which triangles of a mesh cross or overlap others. */
export interface Intersections {
  /** Triangles that cross or touch another beyond the vertices they share, in rising order. */
  crossing: Uint32Array;
  /** Triangles that lie in one plane with another and share area with it, in rising order. */
  overlapping: Uint32Array;
  /** False where the search was given up: nearly everything lies in one place. Then more may be there. */
  isComplete: boolean;
}

export interface IntersectionOptions {
  /** A tree of the mesh's triangles, where the caller has one. */
  tree?: Bvh;
  /** triangle → 1 where it has no area, where the caller knows it. */
  isDegenerate?: Uint8Array;
  /** As `findTwins` gives them, where the caller has them: then most pairs need no test. */
  twins?: Int32Array | undefined;
  /** Gives up after this many pairs. Default: 100 a triangle, but at least five million. */
  maxPairs?: number;
}

const CROSSES = 1;
const OVERLAPS = 2;

/**
 * Finds every triangle that meets another other than along shared vertices and edges; exact. Triangles without area are passed over.
 * Vertices must be welded: two of the same place count as touching.
 */
export function findIntersections(mesh: MeshGeometry, options: IntersectionOptions = {}): Intersections {
  const triangleCount = mesh.triangles.length / 3;
  const tree = options.tree ?? buildBvh(mesh.positions, mesh.triangles);
  const isDegenerate = options.isDegenerate ?? markDegenerateTriangles(mesh);
  const marks = new Uint8Array(triangleCount);
  let pairsLeft = options.maxPairs ?? Math.max(MIN_PAIR_BUDGET, triangleCount * MAX_PAIRS_PER_TRIANGLE);
  const visit = (a: number, b: number): boolean => {
    if (--pairsLeft < 0) return false;
    if (isDegenerate[a] === 1 || isDegenerate[b] === 1) return true;
    const meeting = classifyTrianglePair(mesh.positions, mesh.triangles, a, b);
    if (meeting === 'apart') return true;
    const mark = meeting === 'crossing' ? CROSSES : OVERLAPS;
    marks[a] |= mark;
    marks[b] |= mark;
    return true;
  };
  forEachOverlappingPair(tree, visit, options.twins && markNonSelfIntersectingNodes(mesh, tree, options.twins));
  return { crossing: indicesOf(marks, CROSSES), overlapping: indicesOf(marks, OVERLAPS), isComplete: pairsLeft >= 0 };
}

function indicesOf(marks: Uint8Array, mark: number): Uint32Array {
  const numbers: number[] = [];
  for (let triangle = 0; triangle < marks.length; triangle++)
    if ((marks[triangle] & mark) !== 0) numbers.push(triangle);
  return Uint32Array.from(numbers);
}
