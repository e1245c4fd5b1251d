import type { MeshGeometry } from '../core/mesh.js';
import { EditableMesh } from '../editing/editable-mesh.js';
import { doubleAreaNormal } from '../geometry/double-area-normal.js';
import { oppositeMostNormal } from '../geometry/opposite-most-normal.js';
import { markIntersectingOrDegenerate } from '../intersections/mark-intersecting.js';
import { buildBvh } from '../spatial/bvh.js';
import { buildOneRings } from '../topology/one-rings.js';
import { weldPoints } from '../welding/weld.js';
import { createPrng } from './perturb-vertices.js';

/** A vertex goes no farther than this share of the way to the side across from it, in any of its triangles. */
const MAX_STEP_FRACTION = 0.2;
/** How far vertices go that still touch something, as shares of the way; one after the other. */
const STEP_SCALES = [1, 0.3, 0.1, 0.03];
/** Where neither way helps, so many others are tried. */
const RANDOM_ATTEMPTS = 6;
/** Gives up after so many pairs of triangles were looked at: some seconds. */
const MAX_PAIR_TESTS = 10_000_000;

/**
 * Separates the parts of a closed surface that touch where several vertices have one place, as `SPLIT_FANS` leaves them: each such vertex goes by up
 * to `distanceMm` into the material behind its triangles, or out of it where it is a void that ends there. Answers the positions.
 */
export function separateCoincidentVertices(mesh: MeshGeometry, distanceMm: number): Float64Array {
  const copies = findCoincidentVertices(mesh);
  if (copies.length === 0) return mesh.positions;
  const { triangles } = mesh;
  const starOf = buildOneRings(triangles, mesh.positions.length / 3);
  const positions = mesh.positions.slice();
  for (const vertex of copies) {
    const place = offsetPosition(mesh, starOf(vertex), vertex, 1, distanceMm);
    if (place) positions.set(place, vertex * 3);
  }
  const isHit = markIntersectingOrDegenerate({ positions, triangles });
  const left = copies.filter((vertex) => starOf(vertex).some((triangle) => isHit[triangle] === 1));
  if (left.length === 0) return positions;
  for (const vertex of left) positions.set(mesh.positions.subarray(vertex * 3, vertex * 3 + 3), vertex * 3);
  return separateSequentially({ positions, triangles }, left, distanceMm);
}

/** Vertices that share their place with others. */
function findCoincidentVertices({ positions, triangles }: MeshGeometry): number[] {
  const { vertexOf, firstPoint } = weldPoints(positions);
  const isUsed = new Uint8Array(vertexOf.length);
  for (let i = 0; i < triangles.length; i++) isUsed[triangles[i]] = 1;
  const counts = new Uint32Array(firstPoint.length);
  for (let vertex = 0; vertex < isUsed.length; vertex++) counts[vertexOf[vertex]] += isUsed[vertex];
  return Array.from(isUsed.keys()).filter((vertex) => isUsed[vertex] === 1 && counts[vertexOf[vertex]] > 1);
}

/** Moves one vertex after the other, each only where less is wrong then. `positions` are changed, and answered. */
function separateSequentially({ positions, triangles }: MeshGeometry, vertices: readonly number[], distanceMm: number) {
  const tree = buildBvh(positions, triangles);
  const surface = new EditableMesh(positions, triangles.slice(), new Uint8Array(triangles.length / 3), tree);
  const random = createPrng(1);
  let left = [...vertices];
  for (const [round, scale] of STEP_SCALES.entries()) {
    for (const vertex of left) {
      if (surface.testCount > MAX_PAIR_TESTS) return positions;
      separateVertex(surface, vertex, distanceMm * scale, scale, round === 0 ? undefined : random);
    }
    left = findUnresolvedVertices(surface, left);
    if (left.length === 0) break;
  }
  return positions;
}

/** Tries both ways, and others where `random` is given; the best of them stays. */
function separateVertex(
  surface: EditableMesh,
  vertex: number,
  distanceMm: number,
  scale: number,
  random?: () => number,
) {
  const star = surface.oneRingOf(vertex);
  let group = surface.createEditRegion(star);
  if (group.defectCount === 0) return;
  const maxStep = maxSafeStep(surface, star, vertex) * scale;
  const old = [...surface.positions.subarray(vertex * 3, vertex * 3 + 3)];
  const candidates = [1, -1].map((sign) => offsetPosition(surface, star, vertex, sign, distanceMm, maxStep));
  for (let i = 0; random && i < RANDOM_ATTEMPTS; i++) {
    const reach = Math.min(distanceMm, maxStep);
    candidates.push(old.map((value) => value + (random() * 2 - 1) * reach));
  }
  for (const place of candidates) {
    if (place === undefined) continue;
    if (!surface.tryEdit(group, () => surface.move(vertex, place))) continue;
    group = surface.createEditRegion(star);
    if (group.defectCount === 0) return;
  }
}

/** Of these vertices, and those whose triangles were changed or touch, the ones at which something is wrong. */
function findUnresolvedVertices(surface: EditableMesh, vertices: readonly number[]): number[] {
  const near = new Set(vertices);
  for (const triangle of surface.drainChanged()) for (const corner of surface.cornersOf(triangle)) near.add(corner);
  for (const vertex of [...near])
    for (const triangle of surface.oneRingOf(vertex))
      for (const corner of surface.cornersOf(triangle)) near.add(corner);
  return [...near].filter((vertex) => surface.countDefects(surface.oneRingOf(vertex), 1) > 0).sort((a, b) => a - b);
}

/** Where a vertex gets to behind its triangles (`sign` 1), or before them (-1); nothing where no way leads there. */
function offsetPosition(
  mesh: MeshGeometry,
  star: readonly number[],
  vertex: number,
  sign: number,
  distanceMm: number,
  maxStep = maxSafeStep(mesh, star, vertex),
): number[] | undefined {
  const normals: number[][] = [];
  for (const triangle of star) {
    const normal = doubleAreaNormal(mesh.positions, mesh.triangles, triangle);
    const length = Math.hypot(...normal);
    if (length > 0) normals.push(normal.map((part) => (sign * part) / length));
  }
  const reach = Math.min(distanceMm, maxStep);
  return oppositeMostNormal(normals)?.map((part, k) => mesh.positions[vertex * 3 + k] + part * reach);
}

/** How far a vertex may go: a share of its least distance to the side across from it. */
function maxSafeStep({ positions, triangles }: MeshGeometry, star: readonly number[], vertex: number): number {
  let maxStep = Number.POSITIVE_INFINITY;
  for (const triangle of star) {
    const [a, b] = [...triangles.subarray(triangle * 3, triangle * 3 + 3)].filter((corner) => corner !== vertex);
    const side = Math.hypot(...[0, 1, 2].map((k) => positions[a * 3 + k] - positions[b * 3 + k]));
    maxStep = Math.min(maxStep, Math.hypot(...doubleAreaNormal(positions, triangles, triangle)) / side);
  }
  return maxStep * MAX_STEP_FRACTION;
}
