import { distance } from '../geometry/distance.js';
import { createMeshState, type MeshState } from '../spatial/mesh-index.js';
import { findNearPairs } from '../spatial/near-pairs.js';
import { DisjointSets } from '../topology/disjoint-sets.js';
import { findDuplicateGroups } from '../topology/duplicate-triangles.js';
import type { Edges } from '../topology/edges.js';
import { nextOf, triangleOf } from '../topology/half-edge.js';
import { selectTriangles, type TaggedMesh } from '../topology/tagged-mesh.js';
import { dropNearDuplicateShells } from './near-duplicate-shells.js';
import { changed, type RepairStep, type StepContext, type StepResult, unchanged } from './step.js';

/** Limits the tolerance of a vertex, so that the ends of its shortest boundary edge are not merged with the same vertex. */
const MAX_FRACTION_OF_EDGE = 0.45;

/**
 * The step `stitch`. Closes cracks by merging boundary vertices that nearly match. Never merges the ends of an edge. A
 * tolerance that does not reduce the number of boundary edges is discarded. Merged vertices get the position of the one
 * with the most triangles. Of triangles that nearly duplicated each other, the first is kept: its edges then match those
 * of its neighbors. Open shells that nearly duplicate others are dropped. The notes count merged vertices, and triangles
 * of such shells.
 */
export const STITCH: RepairStep = { name: 'stitch', run: stitch };

function stitch(mesh: TaggedMesh, { index, tolerances }: StepContext): StepResult {
  const source: Stitched = { state: { mesh, index }, count: 0, maxDisplacementMm: 0 };
  let current = source;
  for (const limitMm of tolerances.stitchMm) {
    if (current.state.index.edgeDefects().boundary.length === 0) break;
    current = stitchWithin(source, current, limitMm);
  }
  const state = dropNearDuplicateShells(current.state, tolerances.nearMm);
  const droppedCount = current.state.mesh.objectOf.length - state.mesh.objectOf.length;
  const { maxDisplacementMm } = current;
  const count = current.count + droppedCount;
  return count > 0 ? changed(state, { count, maxDisplacementMm }) : unchanged(mesh);
}

/** A state of the mesh, with the number of merged vertices and their maximum displacement. */
export interface Stitched {
  state: MeshState;
  count: number;
  maxDisplacementMm: number;
}

/**
 * Merges vertices of `current` within a tolerance. A smaller tolerance may have merged some corners of a vertex with
 * each other and left them beside the rest. If defects remain, all corners of `source` are merged at once, and the
 * result with fewer defects is used.
 */
function stitchWithin(source: Stitched, current: Stitched, limitMm: number): Stitched {
  const merged = mergeWithin(current, limitMm);
  const reduces = merged !== undefined && countBoundary(merged) < countBoundary(current);
  const best = reduces ? merged : current;
  if (current === source || countDefects(best) === 0) return best;
  const mergedAtOnce = mergeWithin(source, limitMm);
  return mergedAtOnce !== undefined && countDefects(mergedAtOnce) < countDefects(best) ? mergedAtOnce : best;
}

/** Merges boundary vertices within `limitMm`. Returns `undefined` if there are none. */
export function mergeWithin({ state, count, maxDisplacementMm }: Stitched, limitMm: number): Stitched | undefined {
  const merged = mergeNearVertices(state, limitMm);
  return (
    merged && {
      state: merged.state,
      count: count + merged.count,
      maxDisplacementMm: Math.max(maxDisplacementMm, merged.maxDisplacementMm),
    }
  );
}

function countBoundary({ state }: Stitched): number {
  return state.index.edgeDefects().boundary.length;
}

/** Counts the boundary edges and the edges of more than two triangles. */
function countDefects({ state }: Stitched): number {
  const { boundary, nonManifold } = state.index.edgeDefects();
  return boundary.length + nonManifold.length;
}

function mergeNearVertices({ mesh, index }: MeshState, limitMm: number) {
  const { positions, triangles } = mesh;
  const toleranceOf = computeTolerances(mesh, index.edgeDefects().boundary, limitMm);
  const vertices = [...toleranceOf.keys()].sort((a, b) => a - b);
  const neighbors = neighborsWithin(vertices, triangles, index.edges());
  const sets = new DisjointSets(positions.length / 3);
  const keys = new Map<number, number>(); // set of several vertices → its key in `neighbors`
  for (const { a, b } of findNearPairs(positions, vertices, (vertex) => toleranceOf.get(vertex) ?? 0)) {
    const [setOfA, setOfB] = [sets.find(a), sets.find(b)];
    const [keyOfA, keyOfB] = [keys.get(setOfA) ?? setOfA, keys.get(setOfB) ?? setOfB];
    if (setOfA === setOfB || neighbors.get(keyOfA)?.has(keyOfB)) continue;
    sets.union(a, b);
    keys.set(sets.find(a), uniteNeighbors(neighbors, keyOfA, keyOfB));
  }
  return applyMerges(mesh, vertices, sets);
}

/**
 * Unites the neighbors of two sets of vertices, and returns their key: that of the set with more neighbors, so that all
 * unions together take O(n log n).
 */
function uniteNeighbors(neighbors: Map<number, Set<number>>, a: number, b: number): number {
  const neighborsOf = (key: number) => neighbors.get(key) ?? new Set<number>();
  const [kept, dropped] = neighborsOf(a).size >= neighborsOf(b).size ? [a, b] : [b, a];
  for (const neighbor of neighborsOf(dropped)) {
    neighborsOf(neighbor).delete(dropped);
    neighborsOf(neighbor).add(kept);
    neighborsOf(kept).add(neighbor);
  }
  neighbors.delete(dropped);
  return kept;
}

/** boundary vertex → distance within which it is merged: `limitMm`, or less at a short boundary edge */
function computeTolerances({ positions, triangles }: TaggedMesh, boundary: readonly number[], limitMm: number) {
  const toleranceOf = new Map<number, number>();
  for (const h of boundary) {
    const [a, b] = [triangles[h], triangles[nextOf(h)]];
    const edgeMm = MAX_FRACTION_OF_EDGE * distance(positions, a, b);
    for (const vertex of [a, b]) toleranceOf.set(vertex, Math.min(toleranceOf.get(vertex) ?? limitMm, edgeMm));
  }
  return toleranceOf;
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

function applyMerges(mesh: TaggedMesh, vertices: readonly number[], sets: DisjointSets) {
  const { positions, triangles } = mesh;
  const useCount = new Uint32Array(positions.length / 3);
  for (let i = 0; i < triangles.length; i++) useCount[triangles[i]]++;
  const representatives = new Map<number, number>(); // set → its vertex with the most triangles, the first of several
  for (const vertex of vertices) {
    const best = representatives.get(sets.find(vertex));
    if (best === undefined || useCount[vertex] > useCount[best]) representatives.set(sets.find(vertex), vertex);
  }
  if (representatives.size === vertices.length) return undefined;
  const replacementOf = new Map<number, number>(); // vertex → the vertex that replaces it
  let maxDisplacementMm = 0;
  for (const vertex of vertices) {
    const representative = representatives.get(sets.find(vertex));
    if (representative === undefined || representative === vertex) continue;
    replacementOf.set(vertex, representative);
    maxDisplacementMm = Math.max(maxDisplacementMm, distance(positions, vertex, representative));
  }
  const stitched = triangles.map((vertex) => replacementOf.get(vertex) ?? vertex);
  const isMoved = new Uint8Array(triangles.length / 3); // triangle → 1 if one of its vertices was merged
  for (const [h, vertex] of stitched.entries()) if (vertex !== triangles[h]) isMoved[triangleOf(h)] = 1;
  const state = dropNewDuplicates({ ...mesh, triangles: stitched }, isMoved);
  return { state, count: replacementOf.size, maxDisplacementMm };
}

/** Drops triangles that collapsed, and all but the first of those that the merges made duplicates. */
function dropNewDuplicates(mesh: TaggedMesh, isMoved: Uint8Array): MeshState {
  const { triangles } = mesh;
  const isKept = new Uint8Array(isMoved.length);
  for (let triangle = 0; triangle < isKept.length; triangle++) {
    const [a, b, c] = triangles.subarray(triangle * 3, triangle * 3 + 3);
    isKept[triangle] = a !== b && b !== c && c !== a ? 1 : 0;
  }
  const state = createMeshState(mesh);
  for (const [first, ...others] of findDuplicateGroups(triangles, state.index, isKept)) {
    if (![first, ...others].some((triangle) => isMoved[triangle] === 1)) continue;
    for (const triangle of others) isKept[triangle] = 0;
  }
  if (!isKept.includes(0)) return state;
  const kept = [...isKept.keys()].filter((triangle) => isKept[triangle] === 1);
  return createMeshState(selectTriangles(mesh, kept));
}
