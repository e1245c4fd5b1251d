import earcut from 'earcut';
import { newellNormal } from '../geometry/newell-normal.js';

const AREA_TOLERANCE = 1e-9;

/**
 * Triangulates a polygon in space, given by rings of vertex numbers: the first is the outer one, the others are holes walked the
 * other way. The plane is the outer ring's own. Triangles keep the outer ring's winding, and every edge of a ring is a side of
 * exactly one triangle, also where corners lie on a straight line.
 *
 * @returns three vertex numbers a triangle; `undefined` where the projection crosses itself, or has no area
 */
export function triangulateRings(positions: Float64Array, rings: readonly (readonly number[])[]): number[] | undefined {
  const vertices = rings.flat();
  const next = nextInRing(rings);
  const flat = projectToPlane(positions, vertices, newellNormal(positions, rings[0]));
  if (!flat) return undefined;
  const holeStarts: number[] = [];
  let start = 0;
  for (const ring of rings) {
    if (start > 0) holeStarts.push(start);
    start += ring.length;
  }
  const triangles = earcut(flat, holeStarts);
  orientCounterClockwise(triangles, flat);
  if (!coversArea(triangles, flat, rings)) return undefined;
  restoreCollinearVertices(triangles, next);
  if (!matchesRings(triangles, next)) return undefined;
  return triangles.map((corner) => vertices[corner]);
}

/** corner → the corner after it in its ring */
function nextInRing(rings: readonly (readonly number[])[]): number[] {
  const next: number[] = [];
  for (const ring of rings) {
    const start = next.length;
    for (let i = 0; i < ring.length; i++) next.push(start + ((i + 1) % ring.length));
  }
  return next;
}

/** x and y of each vertex in the plane across `normal`, seen from its tip. */
function projectToPlane(
  positions: Float64Array,
  vertices: readonly number[],
  normal: readonly number[],
): number[] | undefined {
  const length = Math.hypot(...normal);
  if (!(length > 0)) return undefined;
  const [nx, ny, nz] = normal.map((part) => part / length);
  // The axis that the normal leans to least gives the most stable second direction.
  const min = [Math.abs(nx), Math.abs(ny), Math.abs(nz)];
  const axis = min.indexOf(Math.min(...min));
  const [ex, ey, ez] = [0, 1, 2].map((k) => (k === axis ? 1 : 0));
  const u = [ny * ez - nz * ey, nz * ex - nx * ez, nx * ey - ny * ex];
  const uLength = Math.hypot(...u);
  const [ux, uy, uz] = u.map((part) => part / uLength);
  const [vx, vy, vz] = [ny * uz - nz * uy, nz * ux - nx * uz, nx * uy - ny * ux];
  const origin = vertices[0] * 3;
  return vertices.flatMap((vertex) => {
    const x = positions[vertex * 3] - positions[origin];
    const y = positions[vertex * 3 + 1] - positions[origin + 1];
    const z = positions[vertex * 3 + 2] - positions[origin + 2];
    return [x * ux + y * uy + z * uz, x * vx + y * vy + z * vz];
  });
}

const doubleArea = (flat: readonly number[], a: number, b: number, c: number): number =>
  (flat[b * 2] - flat[a * 2]) * (flat[c * 2 + 1] - flat[a * 2 + 1]) -
  (flat[c * 2] - flat[a * 2]) * (flat[b * 2 + 1] - flat[a * 2 + 1]);

function orientCounterClockwise(triangles: number[], flat: readonly number[]): void {
  let sum = 0;
  for (let t = 0; t < triangles.length; t += 3)
    sum += doubleArea(flat, triangles[t], triangles[t + 1], triangles[t + 2]);
  if (sum >= 0) return;
  for (let t = 0; t < triangles.length; t += 3) {
    [triangles[t + 1], triangles[t + 2]] = [triangles[t + 2], triangles[t + 1]];
  }
}

/** Whether the triangles' areas add up to the area that the rings enclose: not so where a ring crosses itself. */
function coversArea(
  triangles: readonly number[],
  flat: readonly number[],
  rings: readonly (readonly number[])[],
): boolean {
  let covered = 0;
  for (let t = 0; t < triangles.length; t += 3) {
    const area = doubleArea(flat, triangles[t], triangles[t + 1], triangles[t + 2]);
    if (area < 0) return false;
    covered += area;
  }
  let enclosed = 0;
  let start = 0;
  for (const ring of rings) {
    for (let i = 0; i < ring.length; i++) {
      const a = (start + i) * 2;
      const b = (start + ((i + 1) % ring.length)) * 2;
      enclosed += flat[a] * flat[b + 1] - flat[b] * flat[a + 1];
    }
    start += ring.length;
  }
  return covered > 0 && Math.abs(covered - enclosed) <= AREA_TOLERANCE * covered;
}

const keyOf = (from: number, to: number, count: number): number => from * count + to;

/** earcut leaves out corners on a straight line; each is put back by splitting the triangle whose side passes it. */
function restoreCollinearVertices(triangles: number[], next: readonly number[]): void {
  const count = next.length;
  const sides = new Set<number>();
  const isUsed = new Uint8Array(count);
  for (let h = 0; h < triangles.length; h++) {
    sides.add(keyOf(triangles[h], triangles[h % 3 === 2 ? h - 2 : h + 1], count));
    isUsed[triangles[h]] = 1;
  }
  for (let h = 0; h < triangles.length; h++) {
    const a = triangles[h];
    const b = triangles[h % 3 === 2 ? h - 2 : h + 1];
    const c = triangles[h % 3 === 0 ? h + 2 : h - 1];
    const through = next[a];
    if (through === b || isUsed[through] === 1 || sides.has(keyOf(b, a, count))) continue;
    // a → b becomes a → through here, and a triangle through → b → c is added, which this loop comes to later.
    triangles[h % 3 === 2 ? h - 2 : h + 1] = through;
    triangles.push(through, b, c);
    isUsed[through] = 1;
    h -= (h % 3) + 1; // this triangle has a new side: look at it again
  }
}

/** Whether each ring edge is walked once, in the ring's direction, and every other edge once each way. */
function matchesRings(triangles: readonly number[], next: readonly number[]): boolean {
  const count = next.length;
  const sides = new Set<number>();
  for (let h = 0; h < triangles.length; h++) {
    const key = keyOf(triangles[h], triangles[h % 3 === 2 ? h - 2 : h + 1], count);
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
