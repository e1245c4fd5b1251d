import { diagonalOf } from '../analysis/measure.js';
import type { MeshGeometry } from '../mesh.js';
import { sideOfPlane } from './predicates.js';
import { boxOfTree, LEAF_SIZE, type TriangleTree } from './triangle-tree.js';

// Directions with nothing in common with axes and round numbers; each is tried where the one before it hit an edge exactly.
const DIRECTIONS: readonly (readonly [number, number, number])[] = [
  [0.5377, 0.3188, 0.7805],
  [-0.4336, 0.8622, 0.2617],
  [0.3426, -0.3077, 0.8877],
  [-0.6248, -0.7254, 0.2889],
  [0.7147, -0.5049, -0.4841],
  [-0.2238, 0.4793, -0.8486],
];

/** A triangle by its number, to be looked at or passed over. */
export type IsWanted = (triangle: number) => boolean;

/**
 * The triangles that a ray from a corner of `fromTriangle` goes through, of those that are wanted. Decided exactly; where the ray meets
 * an edge or vertex, or starts on a triangle's plane, another direction, then another corner is tried. After all of them: the last answer.
 */
export function castRay(mesh: MeshGeometry, tree: TriangleTree, fromTriangle: number, isWanted: IsWanted): number[] {
  let hits: number[] = [];
  for (let k = 0; k < 3; k++) {
    const at = mesh.triangles[fromTriangle * 3 + k] * 3;
    const cast = castAny(mesh, tree, mesh.positions.subarray(at, at + 3), DIRECTIONS, isWanted);
    hits = cast.hits;
    if (cast.isClear) break;
  }
  return hits;
}

/** The same from any point, in directions that lie on the side of `toward`. */
export function castRayFrom(
  mesh: MeshGeometry,
  tree: TriangleTree,
  from: readonly number[],
  toward: readonly number[],
  isWanted: IsWanted,
): number[] {
  const length = Math.hypot(...toward);
  // Leaning from the direction by less than half a right angle.
  const directions = DIRECTIONS.map((lean) => lean.map((part, k) => part * 0.4 + toward[k] / length));
  return castAny(mesh, tree, Float64Array.from(from), directions, isWanted).hits;
}

function castAny(
  mesh: MeshGeometry,
  tree: TriangleTree,
  from: Float64Array,
  directions: readonly (readonly number[])[],
  isWanted: IsWanted,
) {
  const length = diagonalOf(boxOfTree(tree)) * 3;
  let cast: Cast = { hits: [], isClear: false };
  for (const direction of directions) {
    const to = Float64Array.from(direction, (part, axis) => from[axis] + part * length);
    cast = castSegment(mesh, tree, from, to, isWanted);
    if (cast.isClear) break;
  }
  return cast;
}

/** What a segment met. */
export interface Cast {
  hits: number[];
  /** False where the ray met an edge, a vertex, or began on a plane. */
  isClear: boolean;
}

/** The triangles that the segment between two points goes through, of those that are wanted; exact. */
export function castSegment(
  mesh: MeshGeometry,
  tree: TriangleTree,
  from: Float64Array,
  to: Float64Array,
  isWanted: IsWanted,
): Cast {
  const hits: number[] = [];
  const points = new Float64Array(15); // the triangle's corners, then both ends of the ray
  points.set(from, 9);
  points.set(to, 12);
  const stack = [1];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (!segmentMeetsBox(from, to, tree.nodeBoxes, node * 6)) continue;
    if (node < tree.leafBase) {
      stack.push(node * 2, node * 2 + 1);
      continue;
    }
    const first = (node - tree.leafBase) * LEAF_SIZE;
    const end = Math.min(tree.order.length, first + LEAF_SIZE);
    for (let place = first; place < end; place++) {
      const triangle = tree.order[place];
      if (!isWanted(triangle)) continue;
      for (let k = 0; k < 3; k++) {
        const at = mesh.triangles[triangle * 3 + k] * 3;
        for (let axis = 0; axis < 3; axis++) points[k * 3 + axis] = mesh.positions[at + axis];
      }
      const crossing = crossingOf(points);
      if (crossing === undefined) return { hits, isClear: false };
      if (crossing) hits.push(triangle);
    }
  }
  return { hits, isClear: true };
}

/** Whether the segment 3 4 goes through the triangle 0 1 2; `undefined` where it touches its border or begins in its plane. */
function crossingOf(points: Float64Array): boolean | undefined {
  const start = sideOfPlane(points, 0, 1, 2, 3);
  const end = sideOfPlane(points, 0, 1, 2, 4);
  if (start * end > 0) return false;
  const a = sideOfPlane(points, 3, 4, 0, 1);
  const b = sideOfPlane(points, 3, 4, 1, 2);
  const c = sideOfPlane(points, 3, 4, 2, 0);
  if (a * b < 0 || b * c < 0 || a * c < 0) return false;
  return start !== 0 && end !== 0 && a !== 0 && b !== 0 && c !== 0 ? true : undefined;
}

/** Whether the segment may meet the box (slab test; a little generous, so that rounding loses nothing). */
function segmentMeetsBox(from: Float64Array, to: Float64Array, boxes: Float32Array, at: number): boolean {
  let enter = 0;
  let leave = 1;
  for (let k = 0; k < 3; k++) {
    const step = to[k] - from[k]; // never zero: no direction has a zero part, unless the mesh is a point
    const near = (boxes[at + k] - from[k]) / step;
    const far = (boxes[at + 3 + k] - from[k]) / step;
    enter = Math.max(enter, Math.min(near, far) - 1e-12);
    leave = Math.min(leave, Math.max(near, far) + 1e-12);
  }
  return enter <= leave;
}
