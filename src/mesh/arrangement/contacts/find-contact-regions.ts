import { lazy } from '../../core/lazy.js';
import type { MeshGeometry } from '../../core/mesh.js';
import { completeBasis } from '../../core/vec3.js';
import { createWorkCounter, type WorkCounter } from '../../core/work-counter.js';
import { doubleAreaNormal } from '../../geometry/double-area-normal.js';
import { measureGroups } from '../../geometry/measure-groups.js';
import { buildBvh } from '../../spatial/bvh.js';
import { emptyBoxes } from '../../spatial/containing-boxes.js';
import type { MeshIndex } from '../../spatial/mesh-index.js';
import { forEachOverlappingPair } from '../../spatial/overlapping-pairs.js';
import { forEachPairBetweenGroups } from '../../spatial/pairs-between-groups.js';
import { widenBoxes } from '../../spatial/widen-boxes.js';
import { windingNumber } from '../../spatial/winding-number.js';
import { DisjointSets } from '../../topology/disjoint-sets.js';

/** Two triangles face each other if the cosine of the angle between their normals is below minus this. */
const FACING_COSINE = 0.999;
/** The sides of a contact are probed at this many tolerances from it. */
const PROBE_FACTOR = 4;
/** Units of work per ray. */
const RAY_WORK = 64;

/** Triangles in one plane of which some face each other, with material on both sides: a face at which bodies touch. */
export interface ContactRegion {
  members: readonly number[];
  /** The dominant axis of the plane's normal: projected along it, no triangle degenerates. */
  axis: number;
}

/** The state of the search. */
interface ContactSearch {
  index: MeshIndex;
  toleranceMm: number;
  /** triangle → x, y, z of its unit normal, once prepared; zero if the triangle has no area */
  normals: Float64Array;
  /** triangle → twice its area, or -1 until it is prepared */
  doubleAreas: Float64Array;
  /** Whether two triangles are of two shells of which neither faces inward. */
  areOfTwoBodies: (s: number, t: number) => boolean;
  work: WorkCounter;
}

/**
 * Finds the regions where bodies of a closed mesh touch: pairs of triangles that face each other within `toleranceMm` of
 * one plane, overlap by more than that, and have material on both sides. A wall without thickness has none. Pairs with a
 * triangle in common are of one region.
 *
 * @param work counts pairs and rays
 * @returns `undefined` if the work exceeds its limit
 */
export function findContactRegions(
  index: MeshIndex,
  toleranceMm: number,
  work: WorkCounter,
): ContactRegion[] | undefined {
  const search = createSearch(index, toleranceMm, work);
  const sets = new DisjointSets(index.mesh.triangles.length / 3);
  const isMember = new Uint8Array(index.mesh.triangles.length / 3);
  forEachOverlappingPair(widenBoxes(index.bvh(), toleranceMm), (s, t) => {
    if (!work.add(1)) return false;
    if (!isContact(search, s, t)) return true;
    sets.union(s, t);
    isMember[s] = 1;
    isMember[t] = 1;
    return true;
  });
  if (work.isExceeded()) return undefined;
  const membersOf = new Map<number, number[]>();
  for (let triangle = 0; triangle < isMember.length; triangle++) {
    if (isMember[triangle] === 0) continue;
    const members = membersOf.get(sets.find(triangle));
    if (members) members.push(triangle);
    else membersOf.set(sets.find(triangle), [triangle]);
  }
  return [...membersOf.values()].map((members) => selectCoplanar(search, members));
}

/**
 * Returns whether two shells of a closed mesh touch at faces, as `findContactRegions` finds them, of which neither faces
 * inward. Also true if they do not intersect because of rounding: faces of rotated bodies are coplanar only nearly.
 */
export function hasTouchingShells(index: MeshIndex, toleranceMm: number): boolean {
  if (!haveNearBounds(index, toleranceMm)) return false;
  const search = createSearch(index, toleranceMm, createWorkCounter());
  let isFound = false;
  forEachPairBetweenGroups(index.bvh(), index.shells().shellOf, toleranceMm, (s, t) => {
    isFound = search.areOfTwoBodies(s, t) && isContact(search, s, t);
    return !isFound;
  });
  return isFound;
}

/** Returns whether the bounds of two shells are near each other, of which neither faces inward. */
function haveNearBounds(index: MeshIndex, toleranceMm: number): boolean {
  const { shellOf, count } = index.shells();
  if (count < 2) return false;
  const bounds = emptyBoxes(count);
  const { order, boxes } = index.bvh();
  for (let slot = 0; slot < order.length; slot++) {
    const offset = shellOf[order[slot]] * 6;
    for (let k = 0; k < 3; k++) {
      if (boxes[slot * 6 + k] < bounds[offset + k]) bounds[offset + k] = boxes[slot * 6 + k];
      if (boxes[slot * 6 + 3 + k] > bounds[offset + 3 + k]) bounds[offset + 3 + k] = boxes[slot * 6 + 3 + k];
    }
  }
  const volumes = lazy(() => measureGroups(index.mesh, shellOf, count).volumeMm3);
  // Each box is a degenerate triangle between its two corners.
  const corners = Uint32Array.from({ length: count * 3 }, (_, i) => Math.floor(i / 3) * 2 + Math.min(1, i % 3));
  let areNear = false;
  forEachOverlappingPair(widenBoxes(buildBvh(bounds, corners), toleranceMm), (a, b) => {
    areNear = volumes()[a] > 0 && volumes()[b] > 0;
    return !areNear;
  });
  return areNear;
}

function createSearch(index: MeshIndex, toleranceMm: number, work: WorkCounter): ContactSearch {
  const { mesh } = index;
  const count = mesh.triangles.length / 3;
  const shells = lazy(() => {
    const { shellOf, count: shellCount } = index.shells();
    return { shellOf, volumeMm3: measureGroups(mesh, shellOf, shellCount).volumeMm3 };
  });
  const areOfTwoBodies = (s: number, t: number) => {
    const { shellOf, volumeMm3 } = shells();
    return shellOf[s] !== shellOf[t] && volumeMm3[shellOf[s]] > 0 && volumeMm3[shellOf[t]] > 0;
  };
  const [normals, doubleAreas] = [new Float64Array(count * 3), new Float64Array(count).fill(-1)];
  return { index, toleranceMm, normals, doubleAreas, areOfTwoBodies, work };
}

/** Computes the normal and the area of a triangle, unless they are known. */
function prepareTriangle({ index: { mesh }, normals, doubleAreas }: ContactSearch, triangle: number): void {
  if (doubleAreas[triangle] >= 0) return;
  const normal = doubleAreaNormal(mesh.positions, mesh.triangles, triangle);
  const length = Math.hypot(normal[0], normal[1], normal[2]);
  doubleAreas[triangle] = length;
  if (length > 0) for (let k = 0; k < 3; k++) normals[triangle * 3 + k] = normal[k] / length;
}

function isContact(search: ContactSearch, s: number, t: number): boolean {
  const { normals, doubleAreas, areOfTwoBodies } = search;
  prepareTriangle(search, s);
  prepareTriangle(search, t);
  const cosine =
    normals[s * 3] * normals[t * 3] + normals[s * 3 + 1] * normals[t * 3 + 1] + normals[s * 3 + 2] * normals[t * 3 + 2];
  if (!(cosine < -FACING_COSINE)) return false;
  const [larger, smaller] = doubleAreas[s] >= doubleAreas[t] ? [s, t] : [t, s];
  if (!isInPlaneOf(search, smaller, larger)) return false;
  const point = findCommonPoint(search, larger, smaller);
  return point !== undefined && (areOfTwoBodies(s, t) || hasMaterialOnBothSides(search, point, larger));
}

/** Returns whether all corners of a triangle are near the plane of another. */
function isInPlaneOf({ index, normals, toleranceMm }: ContactSearch, triangle: number, other: number): boolean {
  const { positions: p, triangles } = index.mesh;
  const origin = triangles[other * 3] * 3;
  for (let i = triangle * 3; i < triangle * 3 + 3; i++) {
    const offset = triangles[i] * 3;
    const distanceMm =
      (p[offset] - p[origin]) * normals[other * 3] +
      (p[offset + 1] - p[origin + 1]) * normals[other * 3 + 1] +
      (p[offset + 2] - p[origin + 2]) * normals[other * 3 + 2];
    if (!(Math.abs(distanceMm) <= toleranceMm)) return false;
  }
  return true;
}

/**
 * Returns the centroid of the intersection of two coplanar triangles, or `undefined` if it is narrower than the
 * tolerance.
 */
function findCommonPoint(
  { index, normals, toleranceMm }: ContactSearch,
  plane: number,
  other: number,
): number[] | undefined {
  const { mesh } = index;
  const normal = [...normals.subarray(plane * 3, plane * 3 + 3)];
  const basis = completeBasis(normal);
  const origin = mesh.triangles[plane * 3];
  const own = projectTriangle(mesh, plane, origin, basis);
  let polygon = projectTriangle(mesh, other, origin, basis);
  for (let k = 0; k < 3 && polygon.length > 0; k++) polygon = clip(polygon, own[k], own[(k + 1) % 3]);
  let area = 0;
  let perimeter = 0;
  const center = [0, 0];
  polygon.forEach(([x, y], i) => {
    const [nextX, nextY] = polygon[(i + 1) % polygon.length];
    area += (x * nextY - nextX * y) / 2;
    perimeter += Math.hypot(nextX - x, nextY - y);
    center[0] += x / polygon.length;
    center[1] += y / polygon.length;
  });
  // The width of a long polygon is twice its area, divided by half of its perimeter.
  if (!(Math.abs(area) * 4 > perimeter * toleranceMm)) return undefined;
  const [u, v] = basis;
  return u.map((part, k) => mesh.positions[origin * 3 + k] + part * center[0] + v[k] * center[1]);
}

type Point2 = readonly [number, number];

/** Returns the corners of a triangle in a plane through the vertex `origin`. */
function projectTriangle(
  { positions, triangles }: MeshGeometry,
  triangle: number,
  origin: number,
  [u, v]: readonly [number[], number[]],
): Point2[] {
  return [0, 1, 2].map((k): Point2 => {
    const offset = triangles[triangle * 3 + k] * 3;
    const x = positions[offset] - positions[origin * 3];
    const y = positions[offset + 1] - positions[origin * 3 + 1];
    const z = positions[offset + 2] - positions[origin * 3 + 2];
    return [x * u[0] + y * u[1] + z * u[2], x * v[0] + y * v[1] + z * v[2]];
  });
}

/** Returns the part of a convex polygon to the left of a line (Sutherland and Hodgman 1974). */
function clip(polygon: readonly Point2[], from: Point2, to: Point2): Point2[] {
  const side = ([x, y]: Point2) => (to[0] - from[0]) * (y - from[1]) - (to[1] - from[1]) * (x - from[0]);
  return polygon.flatMap((point, i) => {
    const next = polygon[(i + 1) % polygon.length];
    const [here, there] = [side(point), side(next)];
    const kept: Point2[] = here >= 0 ? [point] : [];
    if (here * there < 0) {
      const t = here / (here - there);
      kept.push([point[0] + t * (next[0] - point[0]), point[1] + t * (next[1] - point[1])]);
    }
    return kept;
  });
}

/** Returns whether the winding number is positive on both sides of a point in the plane of a triangle. */
function hasMaterialOnBothSides(
  { index, normals, toleranceMm, work }: ContactSearch,
  point: readonly number[],
  triangle: number,
): boolean {
  const normal = [...normals.subarray(triangle * 3, triangle * 3 + 3)];
  return [1, -1].every((sign) => {
    work.add(RAY_WORK);
    const start = point.map((part, k) => part + sign * PROBE_FACTOR * toleranceMm * normal[k]);
    const toward = normal.map((part) => part * sign);
    return windingNumber(index.mesh, index.bvh(), start, toward, () => true) > 0;
  });
}

/** Returns the region of the members that are in the plane of the largest. */
function selectCoplanar(search: ContactSearch, members: readonly number[]): ContactRegion {
  const { normals, doubleAreas } = search;
  const largest = members.reduce((best, triangle) => (doubleAreas[triangle] > doubleAreas[best] ? triangle : best));
  const magnitudes = [0, 1, 2].map((k) => Math.abs(normals[largest * 3 + k]));
  return {
    members: members.filter((triangle) => isInPlaneOf(search, triangle, largest)),
    axis: magnitudes.indexOf(Math.max(...magnitudes)),
  };
}
