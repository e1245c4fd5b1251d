import { createMeshState, type MeshIndex, type MeshState } from '../spatial/mesh-index.js';
import { findFans } from '../topology/fans.js';
import { nextOf, previousOf, triangleOf } from '../topology/half-edge.js';
import { appendPositions, appendTriangles } from '../topology/tagged-mesh.js';

/** A round splits all edges that one fan uses twice. Splitting adds no such edges. */
const MAX_ROUNDS = 4;

/**
 * Gives each fan of triangles its own vertex at the same position: bodies that touch at a vertex or along an edge
 * become separate. If one fan uses an edge twice, the edge still has four triangles; one pair of them is split at the
 * midpoint of the edge. `addedCount` counts vertices; the state is the one received if it is 0.
 */
export function splitFans(state: MeshState): { state: MeshState; addedCount: number } {
  let { state: current, addedCount } = splitFansOnce(state);
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const split = splitRepeatedEdges(current);
    if (split.addedCount === 0) break;
    const resplit = splitFansOnce(split.state);
    current = resplit.state;
    addedCount += split.addedCount + resplit.addedCount;
  }
  return { state: current, addedCount };
}

function splitFansOnce(state: MeshState): { state: MeshState; addedCount: number } {
  const { mesh, index } = state;
  if (index.isClosed() && index.extraFanCount() === 0) return { state, addedCount: 0 };
  const { positions, triangles } = mesh;
  const vertexCount = positions.length / 3;
  const twins = index.radialTwins();
  const { fanOf, count } = findFans(twins);
  const vertexOfFan = new Uint32Array(count); // fan → vertex
  const isAssigned = new Uint8Array(count);
  const isKept = new Uint8Array(vertexCount); // vertex → 1 if a fan keeps it
  const copies: number[] = []; // new vertex → the vertex that it copies
  const split = new Uint32Array(triangles.length);
  for (let corner = 0; corner < triangles.length; corner++) {
    const fan = fanOf[corner];
    const vertex = triangles[corner];
    if (isAssigned[fan] === 0) {
      isAssigned[fan] = 1;
      vertexOfFan[fan] = isKept[vertex] === 0 ? vertex : vertexCount + copies.push(vertex) - 1;
      isKept[vertex] = 1;
    }
    split[corner] = vertexOfFan[fan];
  }
  if (copies.length === 0) return { state, addedCount: 0 };
  const newPositions = copies.flatMap((vertex) => [...positions.subarray(vertex * 3, vertex * 3 + 3)]);
  const separated = { positions: appendPositions(positions, newPositions), triangles: split, objectOf: mesh.objectOf };
  return { state: createMeshState(separated), addedCount: copies.length };
}

/** Splits all but one pair of triangles at each edge with more than two. */
function splitRepeatedEdges(state: MeshState): { state: MeshState; addedCount: number } {
  const { mesh, index } = state;
  const { positions, triangles } = mesh;
  const pairs = index.isClosed() ? [] : findExtraTwinPairs(index);
  if (pairs.length === 0) return { state, addedCount: 0 };
  const newPositions: number[] = [];
  const corners: number[] = [];
  const objects: number[] = [];
  const split = triangles.slice();
  for (const pair of pairs) {
    const middle = positions.length / 3 + newPositions.length / 3;
    for (let k = 0; k < 3; k++) {
      newPositions.push((positions[triangles[pair[0]] * 3 + k] + positions[triangles[nextOf(pair[0])] * 3 + k]) / 2);
    }
    for (const h of pair) {
      corners.push(middle, triangles[nextOf(h)], triangles[previousOf(h)]);
      objects.push(mesh.objectOf[triangleOf(h)]);
      split[nextOf(h)] = middle;
    }
  }
  const extended = { ...mesh, positions: appendPositions(positions, newPositions), triangles: split };
  return { state: createMeshState(appendTriangles(extended, corners, objects)), addedCount: pairs.length };
}

/**
 * Finds the pairs of twins at edges with more than two triangles, except the first pair of each. No triangle is in two
 * pairs.
 */
function findExtraTwinPairs(index: MeshIndex): [number, number][] {
  const edges = index.edges();
  const twins = index.twins();
  const paired = index.radialTwins();
  const pairs: [number, number][] = [];
  const touched = new Set<number>();
  for (let edge = 0; edge + 1 < edges.starts.length; edge++) {
    const halfEdges = edges.order.subarray(edges.starts[edge], edges.starts[edge + 1]);
    if (halfEdges.length <= 2) continue;
    const edgePairs = [...halfEdges].filter((h) => twins[h] < 0 && paired[h] > h);
    for (const h of edgePairs.slice(1)) {
      const [s, t] = [triangleOf(h), triangleOf(paired[h])];
      if (touched.has(s) || touched.has(t)) continue;
      touched.add(s).add(t);
      pairs.push([h, paired[h]]);
    }
  }
  return pairs;
}
