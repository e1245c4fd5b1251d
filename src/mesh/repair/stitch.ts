import { distance } from '../geometry/distance.js';
import { createMeshState, type MeshState } from '../spatial/mesh-index.js';
import { findNearPairs } from '../spatial/near-pairs.js';
import { DisjointSets } from '../topology/disjoint-sets.js';
import type { Edges } from '../topology/edges.js';
import { nextOf } from '../topology/half-edge.js';
import { selectTriangles, type TaggedMesh } from '../topology/tagged-mesh.js';
import { changed, type RepairStep, type StepContext, type StepResult, unchanged } from './step.js';

/** Limits the tolerance, so that it does not merge the ends of the shortest boundary edge. */
const MAX_FRACTION_OF_SHORTEST_EDGE = 0.45;

/**
 * The step `stitch`. Closes cracks by merging boundary vertices that nearly match. Never merges the ends of an edge. A
 * tolerance that does not reduce the number of boundary edges is discarded. Merged vertices get the position of the one
 * with the most triangles. The notes count merged vertices.
 */
export const STITCH: RepairStep = { name: 'stitch', run: stitch };

function stitch(mesh: TaggedMesh, { index, tolerances }: StepContext): StepResult {
  let current: MeshState = { mesh, index };
  let count = 0;
  let maxDisplacementMm = 0;
  for (const limitMm of tolerances.stitchMm) {
    const { boundary } = current.index.edgeDefects();
    if (boundary.length === 0) break;
    const toleranceMm = Math.min(limitMm, MAX_FRACTION_OF_SHORTEST_EDGE * shortestEdgeLength(current.mesh, boundary));
    const stitched = mergeNearVertices(current, boundary, toleranceMm);
    if (stitched === undefined || stitched.state.index.edgeDefects().boundary.length >= boundary.length) continue;
    current = stitched.state;
    count += stitched.count;
    maxDisplacementMm = Math.max(maxDisplacementMm, stitched.maxDisplacementMm);
  }
  return count > 0 ? changed(current, { count, maxDisplacementMm }) : unchanged(mesh);
}

function shortestEdgeLength({ positions, triangles }: TaggedMesh, boundary: readonly number[]): number {
  return boundary.reduce(
    (shortest, h) => Math.min(shortest, distance(positions, triangles[h], triangles[nextOf(h)])),
    Number.POSITIVE_INFINITY,
  );
}

/** Merges boundary vertices within the tolerance. Returns `undefined` if there are none. */
function mergeNearVertices({ mesh, index }: MeshState, boundary: readonly number[], toleranceMm: number) {
  const { positions, triangles } = mesh;
  const vertices = [...new Set(boundary.flatMap((h) => [triangles[h], triangles[nextOf(h)]]))].sort((a, b) => a - b);
  const neighbors = neighborsWithin(vertices, triangles, index.edges());
  const sets = new DisjointSets(positions.length / 3);
  const members = new Map<number, number[]>(vertices.map((vertex) => [vertex, [vertex]]));
  const membersOf = (vertex: number) => members.get(sets.find(vertex)) ?? [vertex];
  for (const { a, b } of findNearPairs(positions, vertices, toleranceMm)) {
    const [from, to] = [membersOf(a), membersOf(b)];
    if (from === to || from.some((x) => to.some((y) => neighbors.get(x)?.has(y)))) continue;
    sets.union(a, b);
    members.set(sets.find(a), [...from, ...to]);
  }
  return applyMerges(mesh, vertices, membersOf);
}

/** vertex → the other `vertices` that an edge connects it to */
function neighborsWithin(vertices: readonly number[], triangles: Uint32Array, { order, starts }: Edges) {
  const neighbors = new Map<number, Set<number>>(vertices.map((vertex) => [vertex, new Set()]));
  for (let edge = 0; edge + 1 < starts.length; edge++) {
    const h = order[starts[edge]];
    const [a, b] = [triangles[h], triangles[nextOf(h)]];
    if (!neighbors.has(a) || !neighbors.has(b)) continue;
    neighbors.get(a)?.add(b);
    neighbors.get(b)?.add(a);
  }
  return neighbors;
}

function applyMerges(mesh: TaggedMesh, vertices: readonly number[], membersOf: (vertex: number) => readonly number[]) {
  const { positions, triangles } = mesh;
  if (vertices.every((vertex) => membersOf(vertex).length === 1)) return undefined;
  const useCount = new Uint32Array(positions.length / 3);
  for (let i = 0; i < triangles.length; i++) useCount[triangles[i]]++;
  const replacementOf = new Map<number, number>(); // vertex → the vertex that replaces it
  let maxDisplacementMm = 0;
  for (const vertex of vertices) {
    const representative = membersOf(vertex).reduce((best, v) =>
      useCount[v] > useCount[best] || (useCount[v] === useCount[best] && v < best) ? v : best,
    );
    if (representative === vertex) continue;
    replacementOf.set(vertex, representative);
    maxDisplacementMm = Math.max(maxDisplacementMm, distance(positions, vertex, representative));
  }
  const stitched = triangles.map((vertex) => replacementOf.get(vertex) ?? vertex);
  const state = createMeshState(dropCollapsed({ ...mesh, triangles: stitched }));
  return { state, count: replacementOf.size, maxDisplacementMm };
}

function dropCollapsed(mesh: TaggedMesh): TaggedMesh {
  const { triangles } = mesh;
  const kept: number[] = [];
  for (let offset = 0; offset < triangles.length; offset += 3) {
    const hasDistinctCorners =
      triangles[offset] !== triangles[offset + 1] &&
      triangles[offset + 1] !== triangles[offset + 2] &&
      triangles[offset + 2] !== triangles[offset];
    if (hasDistinctCorners) kept.push(offset / 3);
  }
  return kept.length * 3 === triangles.length ? mesh : selectTriangles(mesh, kept);
}
