import type { HalfEdgeCollapseMesh } from './half-edge-collapse-mesh.js';
import { Quadrics } from './quadrics.js';
import { VertexHeap } from './vertex-heap.js';

// Of two edges that cost the same, as all do in a flat part, the shorter one goes first.
const LENGTH_WEIGHT = 1e-6;
// Where the surface moves by less than this share of what is allowed it counts as flat.
const FLAT_ERROR_FRACTION = 0.02;
// Where the surface is not flat only the cheapest neighbours are looked at: the others are seldom better.
const MAX_TARGETS = 3;
const MAX_SWEEPS = 3;
// A vertex with more neighbours stays: it is the hub of a fan, and looking at all of them would take long.
const MAX_VALENCE = 48;

/**
 * Lets vertices go, those first that change the surface least, until none may go any more. `isFree`: vertex → 1 where it may. Answers how many
 * went. `onProgress` is told from time to time how many went so far.
 */
export function collapseEdges(
  surface: HalfEdgeCollapseMesh,
  isFree: Uint8Array,
  onProgress?: (removedCount: number) => void,
): number {
  const quadrics = new Quadrics(surface.toMesh());
  const heap = new VertexHeap(isFree.length);
  const around = new Int32Array(MAX_VALENCE + 1);
  const costs = new Float64Array(MAX_VALENCE);
  const { positions } = surface;

  const isFlat = (vertex: number, target: number): boolean =>
    quadrics.errorAt(vertex, target) < (surface.accuracyMm * FLAT_ERROR_FRACTION) ** 2;

  // The mean of what is allowed everywhere.
  const maxCost = surface.accuracyMm ** 2;

  const costOf = (vertex: number, target: number): number => {
    const dx = positions[vertex * 3] - positions[target * 3];
    const dy = positions[vertex * 3 + 1] - positions[target * 3 + 1];
    const dz = positions[vertex * 3 + 2] - positions[target * 3 + 2];
    return quadrics.errorAt(vertex, target) + LENGTH_WEIGHT * (dx * dx + dy * dy + dz * dz);
  };

  const enqueue = (vertex: number): void => {
    if (isFree[vertex] === 0) return;
    const count = surface.neighbors(vertex, around);
    if (count < 3 || count > MAX_VALENCE) {
      heap.delete(vertex);
      return;
    }
    let min = Number.POSITIVE_INFINITY;
    for (let i = 0; i < count; i++) min = Math.min(min, costOf(vertex, around[i]));
    heap.set(vertex, min);
  };

  /** The cheapest neighbour that a vertex may go to. */
  const targetOf = (vertex: number): number | undefined => {
    const count = surface.neighbors(vertex, around);
    for (let i = 0; i < count; i++) costs[i] = costOf(vertex, around[i]);
    for (let tried = 0; tried < count; tried++) {
      let best = tried;
      for (let i = tried + 1; i < count; i++) if (costs[i] < costs[best]) best = i;
      if (costs[best] > maxCost) return undefined;
      [costs[tried], costs[best]] = [costs[best], costs[tried]];
      [around[tried], around[best]] = [around[best], around[tried]];
      const target = around[tried];
      const staysFlat = isFlat(vertex, target);
      if (!staysFlat && tried >= MAX_TARGETS) return undefined;
      if (surface.canCollapse(vertex, target, staysFlat)) return target;
    }
    return undefined;
  };

  let removedCount = 0;
  const touched = new Int32Array(MAX_VALENCE + 1);
  const sweep = (): number => {
    const before = removedCount;
    for (let vertex = 0; vertex < isFree.length; vertex++) enqueue(vertex);
    for (let vertex = heap.pop(); vertex !== undefined; vertex = heap.pop()) {
      const target = targetOf(vertex);
      if (target === undefined) continue;
      const count = surface.neighbors(vertex, touched);
      surface.collapse(vertex, target, isFlat(vertex, target));
      quadrics.merge(vertex, target);
      removedCount++;
      if (removedCount % 10_000 === 0) onProgress?.(removedCount);
      for (let i = 0; i < count; i++) enqueue(touched[i]);
    }
    return removedCount - before;
  };
  // What could not go when it was looked at may go when others round about have gone.
  for (let sweeps = 0; sweeps < MAX_SWEEPS && sweep() > 0; sweeps++);
  return removedCount;
}
