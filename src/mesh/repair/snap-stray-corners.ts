import { distance } from '../geometry/distance.js';
import { doubleAreaNormal } from '../geometry/double-area-normal.js';
import { nextOf, previousOf, triangleOf } from '../topology/half-edge.js';
import type { TaggedMesh } from '../topology/tagged-mesh.js';
import { changed, type RepairStep, type StepContext, type StepResult, unchanged } from './step.js';

/**
 * A corner is snapped to a vertex if their distance is at most this fraction of the shortest edge of the slit between
 * them.
 */
const MAX_SNAP_FRACTION = 0.1;
/**
 * A corner stays if more pairs of boundary neighbors of both ends of its side would have to be compared: a slit is not
 * at a vertex of thousands of boundary edges.
 */
const MAX_NEIGHBOR_PAIRS = 10_000;

/**
 * The step `stray-corners`. Closes slits of four edges, which a triangle with one misplaced corner leaves: the corner,
 * a vertex of no other triangle, is snapped to the vertex across the slit. The notes count corners; the area of their
 * triangles is added to `filledAreaMm2`.
 */
export const SNAP_STRAY_CORNERS: RepairStep = { name: 'stray-corners', run: snapStrayCorners };

function snapStrayCorners(mesh: TaggedMesh, { index }: StepContext): StepResult {
  const { positions } = mesh;
  const { boundary } = index.edgeDefects();
  if (boundary.length === 0) return unchanged(mesh);
  const triangles = mesh.triangles.slice();
  const isBoundary = new Set(boundary);
  const neighbors = boundaryNeighbors(mesh, boundary);
  const useCount = new Uint32Array(positions.length / 3);
  for (const vertex of triangles) useCount[vertex]++;
  const touched = new Set<number>(); // vertices whose boundary edges changed
  let count = 0;
  let filledAreaMm2 = 0;
  let maxDisplacementMm = 0;
  for (const h of boundary) {
    const corner = triangles[h];
    if (useCount[corner] !== 1 || !isBoundary.has(previousOf(h))) continue;
    const ends = [triangles[nextOf(h)], triangles[previousOf(h)]];
    if (touched.has(ends[0]) || touched.has(ends[1])) continue;
    const [first, second] = ends.map((end) => neighbors.get(end) ?? []);
    if (first.length * second.length > MAX_NEIGHBOR_PAIRS) continue;
    const candidates = first.filter((vertex) => vertex !== corner && second.includes(vertex) && !touched.has(vertex));
    const target = findNearest(positions, corner, candidates);
    if (target === undefined) continue;
    const distanceMm = distance(positions, corner, target);
    const edgesMm = ends.flatMap((end) => [distance(positions, end, corner), distance(positions, end, target)]);
    if (distanceMm > MAX_SNAP_FRACTION * Math.min(...edgesMm)) continue;
    // Two triangles that share an edge and nearly cover each other do not form a slit.
    if (boundary.some((other) => triangles[other] === target && hasCorners(triangles, other, ends))) continue;
    triangles[h] = target;
    for (const vertex of [corner, target, ...ends]) touched.add(vertex);
    count++;
    filledAreaMm2 += Math.hypot(...doubleAreaNormal(positions, triangles, triangleOf(h))) / 2;
    maxDisplacementMm = Math.max(maxDisplacementMm, distanceMm);
  }
  return count > 0
    ? changed({ mesh: { ...mesh, triangles } }, { count, filledAreaMm2, maxDisplacementMm })
    : unchanged(mesh);
}

/** Whether the vertices are corners of the triangle of a half-edge. */
function hasCorners(triangles: Uint32Array, h: number, vertices: readonly number[]): boolean {
  return vertices.every((vertex) => triangles[nextOf(h)] === vertex || triangles[previousOf(h)] === vertex);
}

/** vertex → the vertices that a boundary edge connects it to */
function boundaryNeighbors({ triangles }: TaggedMesh, boundary: readonly number[]): Map<number, number[]> {
  const neighbors = new Map<number, number[]>();
  const add = (from: number, to: number) => {
    const existing = neighbors.get(from);
    if (existing) existing.push(to);
    else neighbors.set(from, [to]);
  };
  for (const h of boundary) {
    add(triangles[h], triangles[nextOf(h)]);
    add(triangles[nextOf(h)], triangles[h]);
  }
  return neighbors;
}

/** Returns the vertex of `among` that is nearest to `to`, or `undefined` if `among` is empty. */
function findNearest(positions: Float64Array, to: number, among: readonly number[]): number | undefined {
  let best: number | undefined;
  for (const vertex of among)
    if (best === undefined || distance(positions, vertex, to) < distance(positions, best, to)) best = vertex;
  return best;
}
