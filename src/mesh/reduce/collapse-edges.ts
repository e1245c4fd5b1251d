import { CollapseQueue } from './collapse-queue.js';
import { type HalfEdgeCollapseMesh, MAX_VALENCE } from './half-edge-collapse-mesh.js';

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
 * Collapses half-edges in the order of their quadric error, as in `CollapseQueue`, until no vertex can be removed. Returns
 * the collapses. `isRemovable`: vertex → 1 if it may be removed. O(n log n) in the number of vertices.
 */
export function collapseEdges(
  surface: HalfEdgeCollapseMesh,
  isRemovable: Uint8Array,
  { maxRemoved = Number.POSITIVE_INFINITY, earlier = [], testsAll = false, onProgress }: CollapseOptions = {},
): Collapse[] {
  const queue = new CollapseQueue(surface, isRemovable);
  const touched = new Int32Array(MAX_VALENCE + 1);
  const collapses: Collapse[] = [];

  /** Collapses a vertex and writes its former neighbors to `touched`. Returns their number. */
  const collapse = (vertex: number, target: number, wasTested: boolean): number => {
    const count = surface.writeNeighbors(vertex, touched);
    surface.collapse(vertex, target, queue.isFlat(vertex, target), wasTested);
    queue.merge(vertex, target);
    collapses.push({ vertex, target });
    if (collapses.length % 10_000 === 0) onProgress?.(collapses.length);
    return count;
  };

  const isChanged = repeatEarlier(surface, isRemovable, earlier, touched, collapse);
  for (let vertex = 0; vertex < isRemovable.length; vertex++)
    if (testsAll || isChanged === undefined || isChanged[vertex] === 1) queue.add(vertex);
  for (let vertex = queue.pop(); vertex !== undefined && collapses.length < maxRemoved; vertex = queue.pop()) {
    const target = queue.findTarget(vertex);
    if (target === undefined) continue;
    const count = collapse(vertex, target, true);
    for (let i = 0; i < count; i++) queue.update(touched[i], vertex, target);
  }
  return collapses;
}

/**
 * Repeats earlier collapses by `collapse`, which writes the neighbors to `touched` and returns their number. Tests only
 * those beside others that were not repeated. Returns the vertices with triangles that differ from those after the earlier
 * collapses (vertex → 1), or `undefined` if all may.
 */
function repeatEarlier(
  surface: HalfEdgeCollapseMesh,
  isRemovable: Uint8Array,
  earlier: readonly Collapse[],
  touched: Int32Array,
  collapse: (vertex: number, target: number, wasTested: boolean) => number,
): Uint8Array | undefined {
  const isChanged = new Uint8Array(isRemovable.length);
  let isAllChanged = earlier.length === 0;
  for (const { vertex, target } of earlier) {
    const mustTest = isAllChanged || isChanged[vertex] === 1 || isChanged[target] === 1;
    const isPossible =
      isRemovable[vertex] === 1 &&
      (!mustTest || (surface.valenceOf(vertex) <= MAX_VALENCE && surface.canCollapse(vertex, target)));
    const count = isPossible ? collapse(vertex, target, mustTest) : surface.writeNeighbors(vertex, touched);
    if (isPossible && isChanged[vertex] === 0) continue;
    isChanged[vertex] = 1;
    for (let i = 0; i < count; i++) isChanged[touched[i]] = 1;
    isAllChanged ||= count === touched.length; // there may be more
  }
  return isAllChanged ? undefined : isChanged;
}
