import type { MeshGeometry } from '../core/mesh.js';
import { createPrng } from '../core/prng.js';
import { createWorkCounter, type WorkCounter } from '../core/work-counter.js';
import { EditableMesh } from '../editing/editable-mesh.js';
import { distance } from '../geometry/distance.js';
import { doubleAreaNormal } from '../geometry/double-area-normal.js';
import { oppositeMostNormal } from '../geometry/opposite-most-normal.js';
import { countCheckedPairs, markIntersectingOrDegenerate } from '../intersections/mark-intersecting.js';
import { buildBvh } from '../spatial/bvh.js';
import { createMeshIndex, type MeshIndex } from '../spatial/mesh-index.js';
import { buildOneRings } from '../topology/one-rings.js';
import { weldPoints } from '../welding/weld.js';

/** Longest move of a vertex, as a fraction of its height over the opposite side in any of its triangles. */
const MAX_STEP_FRACTION = 0.2;
/** Factors of the distance for vertices that still touch, tried one after the other. */
const STEP_SCALES = [1, 0.3, 0.1, 0.03];
/** Random positions tried for a vertex if neither direction helps. */
const RANDOM_ATTEMPTS = 6;
/** Limit of tested pairs of triangles: a few seconds. */
const MAX_PAIR_TESTS = 10_000_000;

/**
 * Separates parts of a closed surface that touch at coincident vertices, which `splitFans` creates. Moves each of
 * these vertices into the material behind its triangles, or out of it if it belongs to a void.
 *
 * 1. Moves all coincident vertices at once.
 * 2. Resets those that still touch, and moves them one after the other, each only if that reduces the defects.
 *
 * @param distanceMm largest distance that a vertex moves
 * @param work counts tested pairs of triangles. Default: without a limit.
 * @returns positions; those of the mesh itself if no vertices coincide
 */
export function separateCoincidentVertices(
  index: MeshIndex,
  distanceMm: number,
  work = createWorkCounter(),
): Float64Array {
  const { mesh } = index;
  const coincident = findCoincidentVertices(mesh);
  if (coincident.length === 0) return mesh.positions;
  const { triangles } = mesh;
  const oneRingOf = buildOneRings(triangles, mesh.positions.length / 3);
  const positions = mesh.positions.slice();
  for (const vertex of coincident) {
    const coordinates = offsetPosition(mesh, oneRingOf(vertex), vertex, 1, distanceMm);
    if (coordinates) positions.set(coordinates, vertex * 3);
  }
  const moved = createMeshIndex({ positions, triangles }, { connectivity: index });
  const isIntersecting = markIntersectingOrDegenerate(moved);
  work.add(countCheckedPairs(moved));
  const remaining = coincident.filter((vertex) => oneRingOf(vertex).some((triangle) => isIntersecting[triangle] === 1));
  if (remaining.length === 0) return positions;
  for (const vertex of remaining) positions.set(mesh.positions.subarray(vertex * 3, vertex * 3 + 3), vertex * 3);
  return separateSequentially({ positions, triangles }, remaining, distanceMm, work);
}

/** Finds the vertices that have the same position as others. Ignores unused vertices. */
function findCoincidentVertices({ positions, triangles }: MeshGeometry): number[] {
  const { vertexOf, firstPoint } = weldPoints(positions);
  const isUsed = new Uint8Array(vertexOf.length);
  for (let i = 0; i < triangles.length; i++) isUsed[triangles[i]] = 1;
  const counts = new Uint32Array(firstPoint.length);
  for (let vertex = 0; vertex < isUsed.length; vertex++) counts[vertexOf[vertex]] += isUsed[vertex];
  return Array.from(isUsed.keys()).filter((vertex) => isUsed[vertex] === 1 && counts[vertexOf[vertex]] > 1);
}

/** Moves one vertex after the other, each only if that reduces the defects. Changes and returns `positions`. */
function separateSequentially(
  { positions, triangles }: MeshGeometry,
  vertices: readonly number[],
  distanceMm: number,
  work: WorkCounter,
) {
  const tree = buildBvh(positions, triangles);
  const maxTests = Math.min(MAX_PAIR_TESTS, work.remaining());
  const isIgnored = new Uint8Array(triangles.length / 3);
  const surface = new EditableMesh(positions, triangles.slice(), isIgnored, tree, maxTests);
  const random = createPrng(1);
  let remaining = [...vertices];
  for (const [pass, scale] of STEP_SCALES.entries()) {
    for (const vertex of remaining) {
      if (surface.isExhausted) break;
      separateVertex(surface, vertex, distanceMm * scale, scale, pass === 0 ? undefined : random);
    }
    if (surface.isExhausted) break;
    remaining = findUnresolvedVertices(surface, remaining);
    if (remaining.length === 0) break;
  }
  work.add(surface.testCount);
  return positions;
}

/** Tries both directions, and random positions if `random` is given. Keeps each move that reduces the defects. */
function separateVertex(
  surface: EditableMesh,
  vertex: number,
  distanceMm: number,
  scale: number,
  random?: () => number,
) {
  const oneRing = surface.oneRingOf(vertex);
  let region = surface.createEditRegion(oneRing);
  if (region.defectCount === 0) return;
  const maxStep = maxSafeStep(surface, oneRing, vertex) * scale;
  const old = [...surface.positions.subarray(vertex * 3, vertex * 3 + 3)];
  const candidates = [1, -1].map((sign) => offsetPosition(surface, oneRing, vertex, sign, distanceMm, maxStep));
  for (let i = 0; random && i < RANDOM_ATTEMPTS; i++) {
    const step = Math.min(distanceMm, maxStep);
    candidates.push(old.map((value) => value + (random() * 2 - 1) * step));
  }
  for (const coordinates of candidates) {
    if (coordinates === undefined) continue;
    if (!surface.tryEdit(region, () => surface.move(vertex, coordinates))) continue;
    region = surface.createEditRegion(oneRing);
    if (region.defectCount === 0) return;
  }
}

/** Finds the vertices with defective triangles, among `vertices`, the changed triangles and their neighbors. */
function findUnresolvedVertices(surface: EditableMesh, vertices: readonly number[]): number[] {
  const near = new Set(vertices);
  for (const triangle of surface.drainChanged()) for (const corner of surface.cornersOf(triangle)) near.add(corner);
  for (const vertex of [...near])
    for (const triangle of surface.oneRingOf(vertex))
      for (const corner of surface.cornersOf(triangle)) near.add(corner);
  return [...near]
    .filter((vertex) => surface.oneRingOf(vertex).some((triangle) => surface.isDefective(triangle)))
    .sort((a, b) => a - b);
}

/**
 * Computes a position behind all triangles of a vertex (`sign` 1) or in front of them (-1). `undefined` if there is
 * none.
 */
function offsetPosition(
  mesh: MeshGeometry,
  oneRing: readonly number[],
  vertex: number,
  sign: number,
  distanceMm: number,
  maxStep = maxSafeStep(mesh, oneRing, vertex),
): number[] | undefined {
  const normals: number[][] = [];
  for (const triangle of oneRing) {
    const normal = doubleAreaNormal(mesh.positions, mesh.triangles, triangle);
    const length = Math.hypot(...normal);
    if (length > 0) normals.push(normal.map((part) => (sign * part) / length));
  }
  const step = Math.min(distanceMm, maxStep);
  return oppositeMostNormal(normals)?.map((part, k) => mesh.positions[vertex * 3 + k] + part * step);
}

/** Computes the longest safe move of a vertex: a fraction of its smallest height over the opposite side. */
function maxSafeStep({ positions, triangles }: MeshGeometry, oneRing: readonly number[], vertex: number): number {
  let maxStep = Number.POSITIVE_INFINITY;
  for (const triangle of oneRing) {
    const [a, b] = [...triangles.subarray(triangle * 3, triangle * 3 + 3)].filter((corner) => corner !== vertex);
    const sideMm = distance(positions, a, b);
    if (sideMm === 0) continue; // two corners coincide: there is no height
    maxStep = Math.min(maxStep, Math.hypot(...doubleAreaNormal(positions, triangles, triangle)) / sideMm);
  }
  return maxStep * MAX_STEP_FRACTION;
}
