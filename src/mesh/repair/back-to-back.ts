import type { WorkCounter } from '../core/work-counter.js';
import { createMeshState, type MeshState } from '../spatial/mesh-index.js';
import { RAY_TILTS } from '../spatial/ray-tilts.js';
import { createSidesQuery } from '../spatial/triangle-sides.js';
import { windingNumber } from '../spatial/winding-number.js';
import { DisjointSets } from '../topology/disjoint-sets.js';
import { hasAscendingWinding } from '../topology/duplicate-triangles.js';
import type { Edges } from '../topology/edges.js';
import { triangleOf } from '../topology/half-edge.js';
import { hasBalancedEdges } from '../topology/has-balanced-edges.js';
import { selectTriangles } from '../topology/tagged-mesh.js';
import { createRayWork, ORIENT } from './orient.js';
import type { StepContext } from './step.js';

/** Triangles with the same corners, as many in one winding as in the other, in ascending order. */
export type BackToBackGroup = readonly number[];

/** The triangles that are kept of back-to-back groups. */
export interface KeptSheets {
  /** At most one triangle of each group. */
  kept: number[];
  /** Number of groups dropped as fins: walls without thickness that stand on a body. */
  finCount: number;
  /** Whether the rays reached the limit of their work. The groups that were left are dropped. */
  isWorkExceeded: boolean;
}

/**
 * Chooses the triangles that are kept of back-to-back groups, by what surrounds each: the rest of the mesh, without
 * these groups.
 *
 * - A group that closes a hole of the rest: one is kept.
 * - A group with the inside of the rest on both sides, or on a surface of the rest, is a wall between bodies that touch:
 *   all are dropped.
 * - A group outside is a sheet, or a body drawn from both sides: one is kept. A fin is dropped.
 *
 * A side is inside if the winding number of the rest is not 0 there (Jacobson et al. 2013), by rays from the centroid.
 * The winding of the rest is made consistent before, if it is not. Groups of 2, 6, … triangles are decided first; of
 * the others, each body that is drawn from both sides has one half, and what was kept counts as rest.
 *
 * @param isRest triangle → 1 if it is in no group and valid
 */
export function chooseSheets(
  state: MeshState,
  groups: readonly BackToBackGroup[],
  isRest: Uint8Array,
  context: StepContext,
): KeptSheets {
  const isSingle = ({ length }: BackToBackGroup) => length % 4 === 2;
  const work = createRayWork(context, isRest.length);
  const singles = chooseAmongEqual(state, groups.filter(isSingle), isRest, context, work);
  const others = groups.filter((group) => !isSingle(group));
  if (others.length === 0) return singles;
  const isRestWithSingles = isRest.slice();
  for (const triangle of singles.kept) isRestWithSingles[triangle] = 1;
  const multiples = chooseAmongEqual(state, others, isRestWithSingles, context, work);
  return {
    kept: [...singles.kept, ...multiples.kept],
    finCount: singles.finCount + multiples.finCount,
    isWorkExceeded: work.isExceeded(),
  };
}

function chooseAmongEqual(
  state: MeshState,
  groups: readonly BackToBackGroup[],
  isRest: Uint8Array,
  context: StepContext,
  work: WorkCounter,
): KeptSheets {
  const kept: number[] = [];
  let finCount = 0;
  if (groups.length === 0) return { kept, finCount, isWorkExceeded: false };
  const placements = findPlacements(state, groups, isRest);
  const probe = createProbe(state, isRest, context, work);
  for (const [i, group] of groups.entries()) {
    if (work.isExceeded()) break;
    const sides = probe(group[0]);
    if (sides === undefined) continue; // without area
    const { isFrontInside, isBackInside, isOnSurface } = sides;
    if (placements[i] !== 'closing' && (isOnSurface || (isFrontInside && isBackInside))) continue;
    if (placements[i] === 'fin' && !isFrontInside && !isBackInside) finCount++;
    else kept.push(isFrontInside && !isBackInside ? findReversed(state, group) : group[0]);
  }
  return { kept, finCount, isWorkExceeded: work.isExceeded() };
}

function findReversed({ mesh: { triangles } }: MeshState, group: BackToBackGroup): number {
  const isAscending = hasAscendingWinding(triangles, group[0]);
  return group.find((triangle) => hasAscendingWinding(triangles, triangle) !== isAscending) ?? group[0];
}

/**
 * How the patch of a group touches the rest. A patch consists of groups that share edges with exactly one other group.
 *
 * - `closing`: most of the edges that it shares with the rest have an odd number of triangles there.
 * - `fin`: it shares edges with the rest, and more of its edges are free.
 */
type Placement = 'closing' | 'fin' | 'other';

/** Numbers of edges of each group, by what else is there. All arrays are indexed by group. */
interface EdgeCounts {
  /** Edges with an odd number of triangles of the rest. */
  odd: Uint32Array;
  /** Edges with an even number of triangles of the rest. */
  even: Uint32Array;
  /** Edges with nothing else. */
  free: Uint32Array;
}

/** group → its placement */
function findPlacements(
  { mesh, index }: MeshState,
  groups: readonly BackToBackGroup[],
  isRest: Uint8Array,
): Placement[] {
  const groupOf = new Int32Array(mesh.triangles.length / 3).fill(-1); // triangle → its group
  groups.forEach((group, i) => {
    for (const triangle of group) groupOf[triangle] = i;
  });
  const patches = new DisjointSets(groups.length);
  const counts = countEdges(index.edges(), groupOf, isRest, patches, groups.length);
  for (const values of [counts.odd, counts.even, counts.free])
    for (let i = 0; i < groups.length; i++) if (patches.find(i) !== i) values[patches.find(i)] += values[i];
  return groups.map((_, i) => {
    const patch = patches.find(i);
    if (counts.odd[patch] > counts.even[patch]) return 'closing';
    return counts.even[patch] > 0 && counts.free[patch] > counts.even[patch] ? 'fin' : 'other';
  });
}

/** Counts the edges of each group, and unites the groups of each patch in `patches`. */
function countEdges(
  { order, starts }: Edges,
  groupOf: Int32Array,
  isRest: Uint8Array,
  patches: DisjointSets,
  groupCount: number,
): EdgeCounts {
  const odd = new Uint32Array(groupCount);
  const even = new Uint32Array(groupCount);
  const free = new Uint32Array(groupCount);
  const groupsHere = new Set<number>(); // the groups at an edge, of which there may be very many
  for (let edge = 0; edge + 1 < starts.length; edge++) {
    groupsHere.clear();
    let restCount = 0;
    for (let i = starts[edge]; i < starts[edge + 1]; i++) {
      const triangle = triangleOf(order[i]);
      restCount += isRest[triangle];
      if (groupOf[triangle] >= 0) groupsHere.add(groupOf[triangle]);
    }
    if (restCount === 0 && groupsHere.size === 2) {
      const [first, second] = groupsHere;
      patches.union(first, second);
    }
    if (restCount === 0 && groupsHere.size > 1) continue;
    const counter = restCount === 0 ? free : restCount % 2 === 1 ? odd : even;
    for (const group of groupsHere) counter[group]++;
  }
  return { odd, even, free };
}

/** What is on both sides of a triangle. */
interface Sides {
  isFrontInside: boolean;
  isBackInside: boolean;
  /** Whether the rest has a surface at the triangle: then the sides differ in any direction. */
  isOnSurface: boolean;
}

/** Creates a function that probes the rest on both sides of a triangle. It returns `undefined` for one without area. */
function createProbe(
  { mesh }: MeshState,
  isRest: Uint8Array,
  context: StepContext,
  work: WorkCounter,
): (triangle: number) => Sides | undefined {
  const rest = selectOrientedRest(mesh, isRest, context);
  const sidesOf = createSidesQuery(mesh);
  // One ray is exact if the rest is closed.
  const tilts = rest.isClosed ? RAY_TILTS.slice(0, 1) : RAY_TILTS;
  const countTest = () => {
    work.add(1);
    return true;
  };
  const isInside = (point: readonly number[], toward: readonly number[]): boolean => {
    let insideCount = 0;
    for (const tilt of tilts) {
      const direction = toward.map((part, k) => part + tilt[k]);
      if (windingNumber(rest.mesh, rest.index.bvh(), point, direction, countTest) !== 0) insideCount++;
    }
    return insideCount * 2 > tilts.length;
  };
  return (triangle) => {
    const sides = sidesOf(triangle);
    if (!sides) return undefined;
    if (rest.mesh.triangles.length === 0) return { isFrontInside: false, isBackInside: false, isOnSurface: false };
    const { normal, front, back } = sides;
    const isFrontInside = isInside(front, normal);
    const isBackInside = isInside(
      back,
      normal.map((part) => -part),
    );
    const isOnSurface = isFrontInside !== isBackInside && isInside(back, normal) === isBackInside;
    return { isFrontInside, isBackInside, isOnSurface };
  };
}

/** Selects the rest of a mesh, with consistent winding. `isClosed`: whether its winding was consistent before. */
function selectOrientedRest(
  mesh: MeshState['mesh'],
  isRest: Uint8Array,
  context: StepContext,
): MeshState & { isClosed: boolean } {
  const members: number[] = [];
  for (let triangle = 0; triangle < isRest.length; triangle++) if (isRest[triangle] === 1) members.push(triangle);
  const rest = createMeshState(selectTriangles(mesh, members));
  if (hasBalancedEdges(rest.mesh.triangles, rest.index.edges())) return { ...rest, isClosed: true };
  const oriented = ORIENT.run(rest.mesh, { ...context, index: rest.index });
  return { ...createMeshState(oriented.mesh), isClosed: false };
}
