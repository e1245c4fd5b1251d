import { type HalfEdgeCollapseMesh, MAX_VALENCE } from './half-edge-collapse-mesh.js';
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
/**
 * Collapses with a larger cost, as a multiple of the squared accuracy, are not tested. Planes extend beyond their triangles, so
 * that the surface may be nearer than they are. With 1, up to 13 % more triangles remain; with 4, more places deviate too far.
 */
const MAX_COST_FACTOR = 2;
/** Where the surface is not flat, only this many of the cheapest neighbors are tried: the others seldom succeed. */
const MAX_TARGETS = 3;

/** A collapse of a vertex to a neighbor. */
export interface Collapse {
  vertex: number;
  target: number;
}

/** How far edges are collapsed. */
export interface CollapseOptions {
  /** Maximum number of vertices to remove. Each removes two triangles. Default: no limit. */
  maxRemoved?: number;
  /**
   * Collapses of an earlier call that started from the same surface. They are repeated where they are still possible.
   * Other vertices are tested only beside those that are not repeated, unless `testsAll` is set.
   */
  earlier?: readonly Collapse[];
  /** Set if the earlier call ended before all vertices were tested. */
  testsAll?: boolean;
  /** Receives the number of removed vertices after every 10,000. */
  onProgress?: (removedCount: number) => void;
}

/**
 * Collapses half-edges in the order of their quadric error (Garland & Heckbert 1997), until no vertex can be removed.
 * Returns the collapses. `isRemovable`: vertex → 1 if it may be removed. O(n log n) in the number of vertices.
 *
 * Each vertex is in the heap with the cost of its cheapest neighbor. After a collapse, the cost of a vertex beside it
 * changes only if its cheapest neighbor was removed, or if the target is cheaper.
 */
export function collapseEdges(
  surface: HalfEdgeCollapseMesh,
  isRemovable: Uint8Array,
  { maxRemoved = Number.POSITIVE_INFINITY, earlier = [], testsAll = false, onProgress }: CollapseOptions = {},
): Collapse[] {
  const quadrics = new Quadrics(surface.toMesh());
  const heap = new VertexHeap(isRemovable.length);
  /** vertex → its cheapest neighbor, and the cost of a collapse to it: infinite if unknown, or with too few or many neighbors */
  const cheapest = new Int32Array(isRemovable.length);
  const minCosts = new Float64Array(isRemovable.length).fill(Number.POSITIVE_INFINITY);
  const neighbors = new Int32Array(MAX_VALENCE + 1);
  /** index in `neighbors` → error and cost of a collapse to it */
  const errors = new Float64Array(MAX_VALENCE);
  const costs = new Float64Array(MAX_VALENCE);
  const single = new Int32Array(1);
  const singleError = new Float64Array(1);
  const singleLength = new Float64Array(1);
  const touched = new Int32Array(MAX_VALENCE + 1);
  const collapses: Collapse[] = [];
  // Limits of the mean squared distance of a target from the planes of the vertex, in mm².
  const maxCost = surface.accuracyMm ** 2 * MAX_COST_FACTOR;
  const maxFlatError = (surface.accuracyMm * FLAT_ERROR_FRACTION) ** 2;

  /** Writes the costs of collapses of a vertex to the first `count` of `neighbors`. */
  const writeCosts = (vertex: number, count: number): void => {
    quadrics.writeErrors(vertex, neighbors, count, errors, costs);
    for (let i = 0; i < count; i++) costs[i] = errors[i] + LENGTH_WEIGHT * costs[i];
  };
  const isFlat = (vertex: number, target: number): boolean => {
    single[0] = target;
    quadrics.writeErrors(vertex, single, 1, singleError, singleLength);
    return singleError[0] < maxFlatError;
  };

  const enqueue = (vertex: number): void => {
    if (isRemovable[vertex] === 0) return;
    const count = surface.writeNeighbors(vertex, neighbors);
    minCosts[vertex] = Number.POSITIVE_INFINITY;
    if (count < 3 || count > MAX_VALENCE) {
      heap.delete(vertex);
      return;
    }
    writeCosts(vertex, count);
    for (let i = 0; i < count; i++) {
      if (costs[i] >= minCosts[vertex]) continue;
      minCosts[vertex] = costs[i];
      cheapest[vertex] = neighbors[i];
    }
    heap.set(vertex, minCosts[vertex]);
  };

  /** Changes the cost of a vertex after its neighbor `removed` collapsed to `target`. */
  const update = (vertex: number, removed: number, target: number): void => {
    if (isRemovable[vertex] === 0) return;
    const valence = surface.valenceOf(vertex);
    const isKnown = minCosts[vertex] < Number.POSITIVE_INFINITY && cheapest[vertex] !== removed;
    if (vertex === target || !isKnown || valence < 3 || valence > MAX_VALENCE) {
      enqueue(vertex);
      return;
    }
    neighbors[0] = target;
    writeCosts(vertex, 1);
    if (costs[0] < minCosts[vertex]) {
      minCosts[vertex] = costs[0];
      cheapest[vertex] = target;
    }
    heap.set(vertex, minCosts[vertex]);
  };

  /** Returns the cheapest neighbor that a vertex can collapse to. */
  const findTarget = (vertex: number): number | undefined => {
    const count = surface.writeNeighbors(vertex, neighbors);
    writeCosts(vertex, Math.min(count, MAX_VALENCE));
    for (let index = 0; index < count; index++) {
      let best = index;
      for (let i = index + 1; i < count; i++) if (costs[i] < costs[best]) best = i;
      if (costs[best] > maxCost) return undefined;
      const target = neighbors[best];
      costs[best] = costs[index];
      neighbors[best] = neighbors[index];
      if (index >= MAX_TARGETS && !isFlat(vertex, target)) return undefined;
      if (surface.canCollapse(vertex, target)) return target;
    }
    return undefined;
  };

  /** Collapses a vertex and writes its former neighbors to `touched`. Returns their number. */
  const collapse = (vertex: number, target: number, wasTested: boolean): number => {
    const count = surface.writeNeighbors(vertex, touched);
    surface.collapse(vertex, target, isFlat(vertex, target), wasTested);
    quadrics.merge(vertex, target);
    collapses.push({ vertex, target });
    if (collapses.length % 10_000 === 0) onProgress?.(collapses.length);
    return count;
  };

  /** vertex → 1 if a triangle at it differs from those after the earlier collapses */
  const isChanged = new Uint8Array(isRemovable.length);
  let isAllChanged = earlier.length === 0;

  /** Repeats the earlier collapses. Tests only those beside others that were not repeated. */
  const repeatEarlier = (): void => {
    const markTouched = (count: number): void => {
      for (let i = 0; i < count; i++) isChanged[touched[i]] = 1;
      isAllChanged ||= count === touched.length; // there may be more
    };
    for (const { vertex, target } of earlier) {
      const mustTest = isAllChanged || isChanged[vertex] === 1 || isChanged[target] === 1;
      const isPossible =
        isRemovable[vertex] === 1 &&
        (!mustTest || (surface.valenceOf(vertex) <= MAX_VALENCE && surface.canCollapse(vertex, target)));
      const count = isPossible ? collapse(vertex, target, mustTest) : surface.writeNeighbors(vertex, touched);
      if (isPossible && isChanged[vertex] === 0) continue;
      isChanged[vertex] = 1;
      markTouched(count);
    }
  };

  repeatEarlier();
  for (let vertex = 0; vertex < isRemovable.length; vertex++)
    if (testsAll || isAllChanged || isChanged[vertex] === 1) enqueue(vertex);
  for (let vertex = heap.pop(); vertex !== undefined && collapses.length < maxRemoved; vertex = heap.pop()) {
    const target = findTarget(vertex);
    if (target === undefined) continue;
    const count = collapse(vertex, target, true);
    for (let i = 0; i < count; i++) update(touched[i], vertex, target);
  }
  return collapses;
}
