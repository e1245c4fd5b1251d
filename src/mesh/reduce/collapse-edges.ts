import type { HalfEdgeCollapseMesh } from './half-edge-collapse-mesh.js';
import { Quadrics } from './quadrics.js';
import { VertexHeap } from './vertex-heap.js';

/**
 * Weight of the squared edge length in the cost. Of edges with equal error, as in planar parts, the shortest collapses
 * first.
 */
const LENGTH_WEIGHT = 1e-6;
/**
 * The surface at a vertex is flat if the error of a collapse, as a distance, is below this fraction of the accuracy.
 */
const FLAT_ERROR_FRACTION = 0.02;
/** Where the surface is not flat, only this many of the cheapest neighbors are tried: the others seldom succeed. */
const MAX_TARGETS = 3;
/** A vertex that could not collapse may do so after others around it have collapsed. */
const MAX_SWEEPS = 3;
/** A vertex with more neighbors stays: it is the center of a large fan, and trying all neighbors would be slow. */
const MAX_VALENCE = 48;

/** How far edges are collapsed. */
export interface CollapseOptions {
  /** Maximum number of vertices to remove. Each removes two triangles. Default: no limit. */
  maxRemoved?: number;
  /** Receives the number of removed vertices after every 10,000. */
  onProgress?: (removedCount: number) => void;
}

/**
 * Collapses half-edges in the order of their quadric error (Garland & Heckbert 1997), until no vertex can be removed.
 * Returns the number of removed vertices. `isRemovable`: vertex → 1 if it may be removed. O(n log n) in the number of
 * vertices.
 */
export function collapseEdges(
  surface: HalfEdgeCollapseMesh,
  isRemovable: Uint8Array,
  { maxRemoved = Number.POSITIVE_INFINITY, onProgress }: CollapseOptions = {},
): number {
  const quadrics = new Quadrics(surface.toMesh());
  const heap = new VertexHeap(isRemovable.length);
  const neighbors = new Int32Array(MAX_VALENCE + 1);
  const costs = new Float64Array(MAX_VALENCE);
  const { positions } = surface;

  const isFlat = (vertex: number, target: number): boolean =>
    quadrics.computeErrorMm2(vertex, target) < (surface.accuracyMm * FLAT_ERROR_FRACTION) ** 2;

  // Limit of the mean squared distance of a target from the planes of the vertex, in mm².
  const maxCost = surface.accuracyMm ** 2;

  const costOf = (vertex: number, target: number): number => {
    const dx = positions[vertex * 3] - positions[target * 3];
    const dy = positions[vertex * 3 + 1] - positions[target * 3 + 1];
    const dz = positions[vertex * 3 + 2] - positions[target * 3 + 2];
    return quadrics.computeErrorMm2(vertex, target) + LENGTH_WEIGHT * (dx * dx + dy * dy + dz * dz);
  };

  const enqueue = (vertex: number): void => {
    if (isRemovable[vertex] === 0) return;
    const count = surface.writeNeighbors(vertex, neighbors);
    if (count < 3 || count > MAX_VALENCE) {
      heap.delete(vertex);
      return;
    }
    let min = Number.POSITIVE_INFINITY;
    for (let i = 0; i < count; i++) min = Math.min(min, costOf(vertex, neighbors[i]));
    heap.set(vertex, min);
  };

  /** Returns the cheapest neighbor that a vertex can collapse to. */
  const findTarget = (vertex: number): number | undefined => {
    const count = surface.writeNeighbors(vertex, neighbors);
    for (let i = 0; i < count; i++) costs[i] = costOf(vertex, neighbors[i]);
    for (let index = 0; index < count; index++) {
      let best = index;
      for (let i = index + 1; i < count; i++) if (costs[i] < costs[best]) best = i;
      if (costs[best] > maxCost) return undefined;
      [costs[index], costs[best]] = [costs[best], costs[index]];
      [neighbors[index], neighbors[best]] = [neighbors[best], neighbors[index]];
      const target = neighbors[index];
      const isTargetFlat = isFlat(vertex, target);
      if (!isTargetFlat && index >= MAX_TARGETS) return undefined;
      if (surface.canCollapse(vertex, target, isTargetFlat)) return target;
    }
    return undefined;
  };

  let removedCount = 0;
  const touched = new Int32Array(MAX_VALENCE + 1);
  const sweep = (): number => {
    const before = removedCount;
    for (let vertex = 0; vertex < isRemovable.length; vertex++) enqueue(vertex);
    for (let vertex = heap.pop(); vertex !== undefined && removedCount < maxRemoved; vertex = heap.pop()) {
      const target = findTarget(vertex);
      if (target === undefined) continue;
      const count = surface.writeNeighbors(vertex, touched);
      surface.collapse(vertex, target, isFlat(vertex, target));
      quadrics.merge(vertex, target);
      removedCount++;
      if (removedCount % 10_000 === 0) onProgress?.(removedCount);
      for (let i = 0; i < count; i++) enqueue(touched[i]);
    }
    return removedCount - before;
  };
  for (let sweeps = 0; sweeps < MAX_SWEEPS && removedCount < maxRemoved && sweep() > 0; sweeps++);
  return removedCount;
}
