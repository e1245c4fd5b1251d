import type { CollapsingSurface } from './collapsing-surface.js';
import { Quadrics } from './quadrics.js';
import { VertexHeap } from './vertex-heap.js';

// Of two edges that cost the same, as all do in a flat part, the shorter one goes first.
const LENGTH_SHARE = 1e-6;
// Where the surface moves by less than this share of what is allowed it counts as flat.
const FLAT_SHARE = 0.02;
// Where the surface is not flat only the cheapest neighbours are looked at: the others are seldom better.
const MOST_TARGETS = 3;
const MOST_SWEEPS = 3;
// A vertex with more neighbours stays: it is the hub of a fan, and looking at all of them would take long.
const MOST_NEIGHBOURS = 48;

/**
 * Lets vertices go, those first that change the surface least, until none may go any more. `isFree`: vertex → 1 where it may. Answers how many
 * went. `onProgress` is told from time to time how many went so far.
 */
export function collapseEdges(
  surface: CollapsingSurface,
  isFree: Uint8Array,
  onProgress?: (gone: number) => void,
): number {
  const quadrics = new Quadrics(surface.remaining());
  const heap = new VertexHeap(isFree.length);
  const around = new Int32Array(MOST_NEIGHBOURS + 1);
  const costs = new Float64Array(MOST_NEIGHBOURS);
  const { positions } = surface;

  const isFlat = (vertex: number, target: number): boolean =>
    quadrics.errorAt(vertex, target) < (surface.accuracyMm * FLAT_SHARE) ** 2;

  // The mean of what is allowed everywhere.
  const mostCost = surface.accuracyMm ** 2;

  const costOf = (vertex: number, target: number): number => {
    const dx = positions[vertex * 3] - positions[target * 3];
    const dy = positions[vertex * 3 + 1] - positions[target * 3 + 1];
    const dz = positions[vertex * 3 + 2] - positions[target * 3 + 2];
    return quadrics.errorAt(vertex, target) + LENGTH_SHARE * (dx * dx + dy * dy + dz * dz);
  };

  const enter = (vertex: number): void => {
    if (isFree[vertex] === 0) return;
    const count = surface.neighbours(vertex, around);
    if (count < 3 || count > MOST_NEIGHBOURS) {
      heap.delete(vertex);
      return;
    }
    let least = Number.POSITIVE_INFINITY;
    for (let i = 0; i < count; i++) least = Math.min(least, costOf(vertex, around[i]));
    heap.set(vertex, least);
  };

  /** The cheapest neighbour that a vertex may go to. */
  const targetOf = (vertex: number): number | undefined => {
    const count = surface.neighbours(vertex, around);
    for (let i = 0; i < count; i++) costs[i] = costOf(vertex, around[i]);
    for (let tried = 0; tried < count; tried++) {
      let best = tried;
      for (let i = tried + 1; i < count; i++) if (costs[i] < costs[best]) best = i;
      if (costs[best] > mostCost) return undefined;
      [costs[tried], costs[best]] = [costs[best], costs[tried]];
      [around[tried], around[best]] = [around[best], around[tried]];
      const target = around[tried];
      const staysFlat = isFlat(vertex, target);
      if (!staysFlat && tried >= MOST_TARGETS) return undefined;
      if (surface.canCollapse(vertex, target, staysFlat)) return target;
    }
    return undefined;
  };

  let gone = 0;
  const touched = new Int32Array(MOST_NEIGHBOURS + 1);
  const sweep = (): number => {
    const before = gone;
    for (let vertex = 0; vertex < isFree.length; vertex++) enter(vertex);
    for (let vertex = heap.pop(); vertex !== undefined; vertex = heap.pop()) {
      const target = targetOf(vertex);
      if (target === undefined) continue;
      const count = surface.neighbours(vertex, touched);
      surface.collapse(vertex, target, isFlat(vertex, target));
      quadrics.merge(vertex, target);
      gone++;
      if (gone % 10_000 === 0) onProgress?.(gone);
      for (let i = 0; i < count; i++) enter(touched[i]);
    }
    return gone - before;
  };
  // What could not go when it was looked at may go when others round about have gone.
  for (let sweeps = 0; sweeps < MOST_SWEEPS && sweep() > 0; sweeps++);
  return gone;
}
