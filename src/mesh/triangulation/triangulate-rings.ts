import earcut from 'earcut';
import { completeBasis } from '../core/vec3.js';
import { newellNormal } from '../geometry/newell-normal.js';
import { nextOf, previousOf } from '../topology/half-edge.js';
import { reverseWinding } from '../topology/reverse-winding.js';
import { triangulateBySweep } from './triangulate-by-sweep.js';

/** Allowed difference between the areas of the triangles and of the rings, as a fraction. */
const AREA_TOLERANCE = 1e-9;
/** Polygons of more corners are triangulated by a sweep: ear clipping takes quadratic time or more. */
const MAX_CLIPPED_CORNERS = 1000;
/** Most corners of a polygon that is triangulated by ear clipping if the sweep fails, as for a hole on a bridge: about 0.3 s. */
const MAX_RETRIED_CORNERS = 5000;

/**
 * Triangulates a polygon with holes in space, in the plane of its outer ring: by ear clipping (earcut), or by a sweep if
 * it has more than 1,000 corners.
 *
 * Every edge of a ring becomes a side of exactly one triangle, also between collinear vertices.
 *
 * @param rings vertex indices; the first ring is the outer one, the others are holes of opposite winding
 * @returns three vertex indices per triangle, in the winding of the outer ring; `undefined` if the projected rings
 * intersect themselves or have zero area
 */
export function triangulateRings(positions: Float64Array, rings: readonly (readonly number[])[]): number[] | undefined {
  const vertices = rings.flat();
  const next = nextInRing(rings);
  const xy = projectToPlane(positions, vertices, newellNormal(positions, rings[0]));
  if (!xy) return undefined;
  const holeStarts: number[] = [];
  let start = 0;
  for (const ring of rings) {
    if (start > 0) holeStarts.push(start);
    start += ring.length;
  }
  if (vertices.length > MAX_CLIPPED_CORNERS) {
    const triangles = verify(triangulateBySweep(xy, holeStarts) ?? [], xy, rings, next);
    if (triangles ?? vertices.length > MAX_RETRIED_CORNERS) return triangles?.map((corner) => vertices[corner]);
  }
  return verify(earcut(xy, holeStarts), xy, rings, next)?.map((corner) => vertices[corner]);
}

/** Returns the triangles counterclockwise and with all corners, or `undefined` if they do not match the rings. */
function verify(
  triangles: number[],
  xy: readonly number[],
  rings: readonly (readonly number[])[],
  next: readonly number[],
): number[] | undefined {
  orientCounterClockwise(triangles, xy);
  if (!coversArea(triangles, xy, rings)) return undefined;
  restoreCollinearVertices(triangles, next);
  return matchesRings(triangles, next) ? triangles : undefined;
}

/** Returns for each corner the next one in its ring (corner → corner). */
function nextInRing(rings: readonly (readonly number[])[]): number[] {
  const next: number[] = [];
  for (const ring of rings) {
    const start = next.length;
    for (let i = 0; i < ring.length; i++) next.push(start + ((i + 1) % ring.length));
  }
  return next;
}

/** Projects the vertices onto the plane perpendicular to `normal`: x and y of each, seen from the tip of the normal. */
function projectToPlane(
  positions: Float64Array,
  vertices: readonly number[],
  normal: readonly number[],
): number[] | undefined {
  const length = Math.hypot(...normal);
  if (!(length > 0)) return undefined;
  const [[ux, uy, uz], [vx, vy, vz]] = completeBasis(normal.map((part) => part / length));
  const origin = vertices[0] * 3;
  return vertices.flatMap((vertex) => {
    const x = positions[vertex * 3] - positions[origin];
    const y = positions[vertex * 3 + 1] - positions[origin + 1];
    const z = positions[vertex * 3 + 2] - positions[origin + 2];
    return [x * ux + y * uy + z * uz, x * vx + y * vy + z * vz];
  });
}

/** Computes twice the signed area of a triangle, positive if counterclockwise. */
function doubleArea(xy: readonly number[], a: number, b: number, c: number): number {
  return (
    (xy[b * 2] - xy[a * 2]) * (xy[c * 2 + 1] - xy[a * 2 + 1]) -
    (xy[c * 2] - xy[a * 2]) * (xy[b * 2 + 1] - xy[a * 2 + 1])
  );
}

/** Reverses all triangles if their total area is negative. */
function orientCounterClockwise(triangles: number[], xy: readonly number[]): void {
  let sum = 0;
  for (let t = 0; t < triangles.length; t += 3) sum += doubleArea(xy, triangles[t], triangles[t + 1], triangles[t + 2]);
  if (sum >= 0) return;
  for (let triangle = 0; triangle * 3 < triangles.length; triangle++) reverseWinding(triangles, triangle);
}

/** Returns whether the areas of the triangles add up to the area of the rings. False if a ring intersects itself. */
function coversArea(
  triangles: readonly number[],
  xy: readonly number[],
  rings: readonly (readonly number[])[],
): boolean {
  let covered = 0;
  for (let t = 0; t < triangles.length; t += 3) {
    const area = doubleArea(xy, triangles[t], triangles[t + 1], triangles[t + 2]);
    if (area < 0) return false;
    covered += area;
  }
  let enclosed = 0;
  let start = 0;
  for (const ring of rings) {
    for (let i = 0; i < ring.length; i++) {
      const a = (start + i) * 2;
      const b = (start + ((i + 1) % ring.length)) * 2;
      enclosed += xy[a] * xy[b + 1] - xy[b] * xy[a + 1];
    }
    start += ring.length;
  }
  return covered > 0 && Math.abs(covered - enclosed) <= AREA_TOLERANCE * covered;
}

function keyOf(from: number, to: number, count: number): number {
  return from * count + to;
}

/** Restores the collinear corners that earcut drops, by splitting the triangle whose side passes through them. */
function restoreCollinearVertices(triangles: number[], next: readonly number[]): void {
  const count = next.length;
  const sides = new Set<number>();
  const isUsed = new Uint8Array(count);
  for (let h = 0; h < triangles.length; h++) {
    sides.add(keyOf(triangles[h], triangles[nextOf(h)], count));
    isUsed[triangles[h]] = 1;
  }
  for (let h = 0; h < triangles.length; h++) {
    const a = triangles[h];
    const b = triangles[nextOf(h)];
    const c = triangles[previousOf(h)];
    const dropped = next[a];
    if (dropped === b || isUsed[dropped] === 1 || sides.has(keyOf(b, a, count))) continue;
    // Replaces the side a → b by a → dropped, and adds the triangle dropped → b → c, which this loop reaches later.
    triangles[nextOf(h)] = dropped;
    triangles.push(dropped, b, c);
    isUsed[dropped] = 1;
    h -= (h % 3) + 1; // revisits this triangle, which has a new side
  }
}

/**
 * Returns whether each edge of a ring is a side of one triangle, in the direction of the ring, and every other edge has
 * exactly two opposite sides.
 */
function matchesRings(triangles: readonly number[], next: readonly number[]): boolean {
  const count = next.length;
  const sides = new Set<number>();
  for (let h = 0; h < triangles.length; h++) {
    const key = keyOf(triangles[h], triangles[nextOf(h)], count);
    if (sides.has(key)) return false;
    sides.add(key);
  }
  for (let corner = 0; corner < count; corner++) if (!sides.has(keyOf(corner, next[corner], count))) return false;
  for (const key of sides) {
    const from = Math.floor(key / count);
    const to = key % count;
    if (next[from] !== to && !sides.has(keyOf(to, from, count))) return false;
    if (next[from] === to && sides.has(keyOf(to, from, count))) return false;
  }
  return true;
}
