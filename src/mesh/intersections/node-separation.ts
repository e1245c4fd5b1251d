import type { MeshGeometry } from '../core/mesh.js';
import type { WorkCounter } from '../core/work-counter.js';
import { type Bvh, LEAF_SIZE, leavesBelow } from '../spatial/bvh.js';
import { areSeparable, type PointSet } from './separating-plane.js';

/** Returns whether it is certain that no triangle of node `a` intersects one of node `b` beyond a common vertex. */
export type NodeSeparation = (a: number, b: number) => boolean;

const ORIGIN: PointSet = { coordinates: new Float64Array(3), count: 1 };

/**
 * Creates a function that searches a plane between the triangles of two nodes of a BVH. If the nodes have one common
 * vertex, the plane goes through it, and all other vertices are on its sides. Thus the triangles around a vertex of high
 * valence are found not to intersect each other, although all of their boxes overlap.
 *
 * @param work counts the vertices that are visited. At its limit, the function returns false.
 */
export function createNodeSeparation(
  { positions, triangles }: MeshGeometry,
  tree: Bvh,
  work: WorkCounter,
): NodeSeparation {
  const vertexCount = positions.length / 3;
  const maxCoordinate = findMaxCoordinate(positions);
  const nodesOfVertices = new Uint32Array(vertexCount); // vertex → the number of the last visit to a node with it
  const [verticesOfA, verticesOfB] = [new Uint32Array(vertexCount), new Uint32Array(vertexCount)];
  const [pointsOfA, pointsOfB] = [new Float64Array(vertexCount * 3 + 3), new Float64Array(vertexCount * 3)];
  let visit = 0;

  /** Lists the vertices of a node. Returns their number. */
  const listVertices = (node: number, vertices: Uint32Array): number => {
    const { first, end } = slotsBelow(tree, node);
    let count = 0;
    visit++;
    for (let slot = first; slot < end; slot++) {
      for (let h = tree.order[slot] * 3, last = h + 3; h < last; h++) {
        const vertex = triangles[h];
        if (nodesOfVertices[vertex] === visit) continue;
        nodesOfVertices[vertex] = visit;
        vertices[count++] = vertex;
      }
    }
    work.add(end - first);
    return count;
  };

  return (a, b) => {
    if (work.isExceeded()) return false;
    const countOfB = listVertices(b, verticesOfB);
    const countOfA = listVertices(a, verticesOfA);
    const common: number[] = [];
    for (let i = 0; i < countOfB && common.length < 2; i++)
      if (nodesOfVertices[verticesOfB[i]] === visit) common.push(verticesOfB[i]);
    if (common.length > 1) return false;
    if (common.length === 0) {
      writePoints(positions, verticesOfA, countOfA, pointsOfA);
      writePoints(positions, verticesOfB, countOfB, pointsOfB);
      const setOfB = { coordinates: pointsOfB, count: countOfB };
      return areSeparable({ coordinates: pointsOfA, count: countOfA }, setOfB, maxCoordinate, work);
    }
    // A plane through the common vertex has the directions to `a` on one side if it has the reversed ones to `b` there.
    const middle = writeDirections(positions, common[0], 1, verticesOfA.subarray(0, countOfA), pointsOfA, 0);
    const count = writeDirections(positions, common[0], -1, verticesOfB.subarray(0, countOfB), pointsOfA, middle);
    return areSeparable({ coordinates: pointsOfA, count }, ORIGIN, 1, work);
  };
}

/** Returns the first slot below a node, and the end of its slots. */
function slotsBelow({ firstLeaf, order }: Bvh, node: number): { first: number; end: number } {
  const leaves = leavesBelow(node, firstLeaf);
  const first = Math.min((leaves.first - firstLeaf) * LEAF_SIZE, order.length);
  return { first, end: Math.min((leaves.end - firstLeaf) * LEAF_SIZE, order.length) };
}

function findMaxCoordinate(positions: Float64Array): number {
  let max = 0;
  for (let i = 0; i < positions.length; i++) max = Math.max(max, Math.abs(positions[i]));
  return max;
}

function writePoints(positions: Float64Array, vertices: Uint32Array, count: number, points: Float64Array): void {
  for (let i = 0; i < count; i++) for (let k = 0; k < 3; k++) points[i * 3 + k] = positions[vertices[i] * 3 + k];
}

/**
 * Writes the directions from a vertex to the others as vectors of length `sign`, from point `count` on. Returns the
 * number of points. A vertex at the same position has the direction zero, which no plane separates from the origin.
 */
function writeDirections(
  positions: Float64Array,
  from: number,
  sign: number,
  vertices: Uint32Array,
  points: Float64Array,
  count: number,
): number {
  let end = count;
  for (const vertex of vertices) {
    if (vertex === from) continue;
    const x = positions[vertex * 3] - positions[from * 3];
    const y = positions[vertex * 3 + 1] - positions[from * 3 + 1];
    const z = positions[vertex * 3 + 2] - positions[from * 3 + 2];
    const length = Math.sqrt(x * x + y * y + z * z);
    const factor = length > 0 ? sign / length : 0;
    points[end * 3] = x * factor;
    points[end * 3 + 1] = y * factor;
    points[end * 3 + 2] = z * factor;
    end++;
  }
  return end;
}
