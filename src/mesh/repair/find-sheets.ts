import type { MeshGeometry } from '../core/mesh.js';
import { doubleAreaNormal } from '../geometry/double-area-normal.js';
import { isPlanar } from '../geometry/is-planar.js';
import { measureGroups } from '../geometry/measure-groups.js';
import { DistanceQuery } from '../spatial/distance-query.js';
import { createMeshState, type MeshState } from '../spatial/mesh-index.js';
import { RAY_TILTS } from '../spatial/ray-tilts.js';
import { createSidesQuery } from '../spatial/triangle-sides.js';
import { windingNumber } from '../spatial/winding-number.js';
import type { Edges } from '../topology/edges.js';
import { triangleOf } from '../topology/half-edge.js';
import { selectTriangles } from '../topology/tagged-mesh.js';
import { findPatchOf } from './interior-walls.js';

/** A sheet is outside if it is at one of so many of its triangles, the largest. */
const MAX_SAMPLED_TRIANGLES = 8;
/** The filling of a sheet is as large as the sheet, half of the closed surface, except for rounding errors. */
const MIN_FILLED_FRACTION = 0.45;

/**
 * Counts the triangles of walls without thickness that are outside of all bodies:
 *
 * - fins: open patches that stand on a body, which is closed without them, and are connected with nothing by their filling;
 * - sheets apart: shells of the filled mesh that are flat because the filling of their hole covers them.
 *
 * @param open the mesh before its holes were filled
 * @param filled the same triangles, followed by those that fill the holes
 * @param nearMm corners closer to a plane lie in it
 */
export function countSheetTriangles(open: MeshState, filled: MeshState, nearMm: number): number {
  const triangleCount = open.mesh.triangles.length / 3;
  const hasFins = open.index.edgeDefects().nonManifold.length > 0; // perhaps
  const patchOf = hasFins ? findPatchOf(triangleCount, open.index.edges()) : new Uint32Array(triangleCount);
  const fins = hasFins ? findFins(open.index.edges(), patchOf) : new Set<number>();
  const flatShells = findFlatShells(filled, triangleCount, nearMm);
  if (fins.size === 0 && flatShells.size === 0) return 0;
  const { shellOf } = filled.index.shells();
  const filledPatchOf = findPatchOf(shellOf.length, filled.index.edges());
  const filledFins = new Set<number>();
  for (const [triangle, patch] of patchOf.entries()) if (fins.has(patch)) filledFins.add(filledPatchOf[triangle]);
  for (const [triangle, patch] of patchOf.entries()) if (!fins.has(patch)) filledFins.delete(filledPatchOf[triangle]);
  const isSheet = filledPatchOf.map((patch, triangle) =>
    Number(filledFins.has(patch) || flatShells.has(shellOf[triangle])),
  );
  const groups = new Map<number, number[]>(); // filled patch → its triangles in the open mesh
  for (let triangle = 0; triangle < triangleCount; triangle++) {
    if (isSheet[triangle] === 0) continue;
    const group = groups.get(filledPatchOf[triangle]);
    if (group) group.push(triangle);
    else groups.set(filledPatchOf[triangle], [triangle]);
  }
  return countOutside(filled, [...groups.values()], isSheet, nearMm);
}

/**
 * Counts the triangles of the groups that are outside of the mesh without its sheets, by their largest triangles.
 *
 * @param isSheet triangle → 1 if it is not part of a body
 */
export function countOutside(
  state: MeshState,
  groups: readonly (readonly number[])[],
  isSheet: Uint32Array,
  nearMm: number,
): number {
  const isOutside = createOutsideQuery(state, isSheet, nearMm);
  let count = 0;
  for (const group of groups) if (selectLargest(state.mesh, group).some(isOutside)) count += group.length;
  return count;
}

/** Finds the patches with boundary edges, and others, at which the mesh without them has an even number of triangles. */
function findFins({ order, starts }: Edges, patchOf: Uint32Array): Set<number> {
  const isOpen = new Set<number>();
  const standing = new Set<number>();
  const other = new Set<number>();
  const counts = new Map<number, number>(); // patch → its triangles at the edge
  for (let edge = 0; edge + 1 < starts.length; edge++) {
    const count = starts[edge + 1] - starts[edge];
    if (count === 2) continue;
    counts.clear();
    for (let i = starts[edge]; i < starts[edge + 1]; i++) {
      const patch = patchOf[triangleOf(order[i])];
      counts.set(patch, (counts.get(patch) ?? 0) + 1);
    }
    for (const [patch, own] of counts) {
      if (count === 1) isOpen.add(patch);
      else if (own === 1 && count % 2 === 1) standing.add(patch);
      else other.add(patch);
    }
  }
  return new Set([...standing].filter((patch) => isOpen.has(patch) && !other.has(patch)));
}

/** Finds the flat shells of which a filling covers the rest. */
function findFlatShells({ mesh, index }: MeshState, firstFilling: number, nearMm: number): Set<number> {
  const { shellOf, count } = index.shells();
  if (count === 1) return new Set(); // a model that is a sheet fails
  const { areaMm2 } = measureGroups(mesh, shellOf, count);
  const filledMm2 = new Float64Array(count);
  for (let triangle = firstFilling; triangle < shellOf.length; triangle++)
    filledMm2[shellOf[triangle]] += Math.hypot(...doubleAreaNormal(mesh.positions, mesh.triangles, triangle)) / 2;
  const isCandidate = Uint8Array.from(filledMm2, (area, shell) =>
    Number(area > 0 && area >= areaMm2[shell] * MIN_FILLED_FRACTION),
  );
  if (!isCandidate.includes(1)) return new Set();
  const trianglesOf = new Map<number, number[]>();
  for (const [triangle, shell] of shellOf.entries()) {
    if (isCandidate[shell] === 0) continue;
    const triangles = trianglesOf.get(shell);
    if (triangles) triangles.push(triangle);
    else trianglesOf.set(shell, [triangle]);
  }
  const flat = [...trianglesOf].filter(([, triangles]) => isPlanar(selectTriangles(mesh, triangles), nearMm));
  return new Set(flat.map(([shell]) => shell));
}

function selectLargest({ positions, triangles }: MeshGeometry, group: readonly number[]): number[] {
  const areas = group.map((triangle) => Math.hypot(...doubleAreaNormal(positions, triangles, triangle)));
  const order = [...group.keys()].sort((a, b) => areas[b] - areas[a] || a - b);
  return order.slice(0, MAX_SAMPLED_TRIANGLES).map((i) => group[i]);
}

/**
 * Creates a function that tells whether a triangle is outside of the mesh without its sheets, on both sides, and not on its
 * surface, as a part of it that is drawn twice.
 */
function createOutsideQuery({ mesh }: MeshState, isSheet: Uint32Array, nearMm: number): (triangle: number) => boolean {
  const rest = createMeshState(
    selectTriangles(
      mesh,
      [...isSheet.keys()].filter((triangle) => isSheet[triangle] === 0),
    ),
  );
  if (rest.mesh.triangles.length === 0) return () => true;
  const sidesOf = createSidesQuery(mesh);
  const tree = rest.index.bvh();
  const distances = new DistanceQuery(rest.mesh, tree);
  const isPointOutside = (point: readonly number[], toward: readonly number[]) => {
    const rays = RAY_TILTS.map((tilt) => toward.map((part, k) => part + tilt[k]));
    const outsideCount = rays.filter((ray) => windingNumber(rest.mesh, tree, point, ray, () => true) === 0).length;
    return outsideCount * 2 > rays.length;
  };
  return (triangle) => {
    const sides = sidesOf(triangle);
    if (!sides) return false;
    const { normal, front, back } = sides;
    const [x, y, z] = front;
    if (distances.isWithin(x, y, z, nearMm)) return false;
    const opposite = normal.map((part) => -part);
    return isPointOutside(front, normal) && isPointOutside(back, opposite);
  };
}
