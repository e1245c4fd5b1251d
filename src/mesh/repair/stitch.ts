import { distance } from '../spatial/distance.js';
import { findNearPairs } from '../spatial/near-pairs.js';
import { DisjointSets } from '../topology/disjoint-sets.js';
import { buildEdges, type Edges, findBoundaryHalfEdges } from '../topology/edges.js';
import { nextOf } from '../topology/half-edge.js';
import { type RepairMesh, type RepairStep, type StepResult, withTriangles } from './step.js';

/** Tolerances tried one after the other, as shares of the diagonal: the least that closes a crack is used for it. */
const TOLERANCE_SHARES = [1e-7, 1e-6, 1e-5, 1e-4];
/** A tolerance near the length of an edge would join its ends. */
const SHARE_OF_SHORTEST_EDGE = 0.45;

/**
 * Joins boundary vertices that nearly match: cracks. Vertices that an edge connects are never joined, and a round that leaves as many
 * boundary edges as before is taken back. Of joined vertices the one with most triangles keeps its place: the others were off.
 */
export const STITCH: RepairStep = { name: 'stitch', run: stitch };

function stitch(mesh: RepairMesh, diagonalMm: number): StepResult {
  const result: Required<Pick<StepResult, 'mesh' | 'changed' | 'maxDisplacementMm'>> = {
    mesh,
    changed: 0,
    maxDisplacementMm: 0,
  };
  for (const share of TOLERANCE_SHARES) {
    const edges = buildEdges(result.mesh.triangles, mesh.positions.length / 3);
    const boundary = findBoundaryHalfEdges(edges);
    if (boundary.length === 0) break;
    const toleranceMm = Math.min(share * diagonalMm, SHARE_OF_SHORTEST_EDGE * shortestOf(result.mesh, boundary));
    const joined = joinNear(result.mesh, edges, boundary, toleranceMm);
    const joinedBoundary = findBoundaryHalfEdges(buildEdges(joined.mesh.triangles, mesh.positions.length / 3));
    if (joinedBoundary.length >= boundary.length) continue;
    result.mesh = joined.mesh;
    result.changed += joined.count;
    result.maxDisplacementMm = Math.max(result.maxDisplacementMm, joined.maxDisplacementMm);
  }
  return result;
}

function shortestOf({ positions, triangles }: RepairMesh, boundary: readonly number[]): number {
  return boundary.reduce(
    (shortest, h) => Math.min(shortest, distance(positions, triangles[h], triangles[nextOf(h)])),
    Number.POSITIVE_INFINITY,
  );
}

function joinNear(mesh: RepairMesh, edges: Edges, boundary: readonly number[], toleranceMm: number) {
  const { positions, triangles } = mesh;
  const vertices = [...new Set(boundary.flatMap((h) => [triangles[h], triangles[nextOf(h)]]))].sort((a, b) => a - b);
  const neighbours = neighboursAmong(vertices, triangles, edges);
  const sets = new DisjointSets(positions.length / 3);
  const members = new Map<number, number[]>(vertices.map((vertex) => [vertex, [vertex]]));
  const membersOf = (vertex: number) => members.get(sets.find(vertex)) ?? [vertex];
  for (const { a, b } of findNearPairs(positions, vertices, toleranceMm)) {
    const [from, to] = [membersOf(a), membersOf(b)];
    if (from === to || from.some((x) => to.some((y) => neighbours.get(x)?.has(y)))) continue;
    sets.union(a, b);
    members.set(sets.find(a), [...from, ...to]);
  }
  return renumber(mesh, vertices, membersOf);
}

/** vertex → those of `vertices` that an edge connects it with */
function neighboursAmong(vertices: readonly number[], triangles: Uint32Array, { order, starts }: Edges) {
  const neighbours = new Map<number, Set<number>>(vertices.map((vertex) => [vertex, new Set()]));
  for (let edge = 0; edge + 1 < starts.length; edge++) {
    const h = order[starts[edge]];
    const [a, b] = [triangles[h], triangles[nextOf(h)]];
    if (!neighbours.has(a) || !neighbours.has(b)) continue;
    neighbours.get(a)?.add(b);
    neighbours.get(b)?.add(a);
  }
  return neighbours;
}

function renumber(mesh: RepairMesh, vertices: readonly number[], membersOf: (vertex: number) => readonly number[]) {
  const { positions, triangles } = mesh;
  const useCount = new Uint32Array(positions.length / 3);
  for (let i = 0; i < triangles.length; i++) useCount[triangles[i]]++;
  const keeperOf = new Map<number, number>(); // vertex → the vertex it becomes
  let maxDisplacementMm = 0;
  for (const vertex of vertices) {
    const keeper = membersOf(vertex).reduce((best, v) =>
      useCount[v] > useCount[best] || (useCount[v] === useCount[best] && v < best) ? v : best,
    );
    if (keeper === vertex) continue;
    keeperOf.set(vertex, keeper);
    maxDisplacementMm = Math.max(maxDisplacementMm, distance(positions, vertex, keeper));
  }
  const joined = triangles.map((vertex) => keeperOf.get(vertex) ?? vertex);
  return { mesh: withoutCollapsed({ ...mesh, triangles: joined }), count: keeperOf.size, maxDisplacementMm };
}

function withoutCollapsed(mesh: RepairMesh): RepairMesh {
  const { triangles } = mesh;
  const kept: number[] = [];
  for (let at = 0; at < triangles.length; at += 3) {
    const isSound =
      triangles[at] !== triangles[at + 1] &&
      triangles[at + 1] !== triangles[at + 2] &&
      triangles[at + 2] !== triangles[at];
    if (isSound) kept.push(at / 3);
  }
  return kept.length * 3 === triangles.length ? mesh : withTriangles(mesh, kept);
}
