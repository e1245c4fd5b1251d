import type { IndexedMesh } from '../core/mesh.js';
import { buildBvh } from '../spatial/bvh.js';
import { buildEdges } from '../topology/edges.js';
import { findPatches, type Patches } from './find-patches.js';
import { intersectSegments } from './intersect-segments.js';
import { findIntersectionSegments } from './intersection-segments.js';
import { perturbVertices } from './perturb-vertices.js';
import { type SplitMesh, splitTriangles } from './split-triangles.js';

/** The surface that results from a self-union. */
export interface SelfUnion {
  positions: Float64Array;
  triangles: Uint32Array;
  /** triangle → the triangle of the source mesh that it is a part of */
  parentOf: Uint32Array;
}

/**
 * Inverted lobes, with winding number -1, are kept and reversed if their volume exceeds this fraction of the volume
 * with winding number 1 or more. Smaller ones are folds and are dropped.
 */
const MAX_LOBE_VOLUME_FRACTION = 0.01;

/**
 * Computes the self-union of a closed mesh: the surface where the winding number changes from 0 to 1 (Zhou et al. 2016,
 * Mesh Arrangements for Solid Geometry).
 *
 * 1. Perturbs the vertices of intersecting triangles, so that no triangles merely touch.
 * 2. Finds the segments in which triangles intersect, and their crossings.
 * 3. Splits the triangles along the segments.
 * 4. Computes the winding number in front of each patch between the segments.
 * 5. Keeps the patches with winding number 0 in front and 1 behind.
 *
 * Inverted lobes, which the surface encloses with winding number -1, are reversed and kept if they are large. They then
 * touch the other shells.
 *
 * @param isIntersecting triangle → 1 if its vertices are perturbed
 * @param amplitudeMm largest perturbation along each axis
 * @param seed seed of the perturbation
 * @param keepInvertedLobes keeps inverted lobes of any size. Default: only large ones.
 * @returns `undefined` if rounding prevents a consistent result, or the work exceeds its limits
 */
export function computeSelfUnion(
  mesh: IndexedMesh,
  isIntersecting: Uint8Array,
  amplitudeMm: number,
  seed: number,
  keepInvertedLobes = false,
): SelfUnion | undefined {
  const corners = mesh.triangles;
  const isMovedVertex = new Uint8Array(mesh.positions.length / 3);
  for (let i = 0; i < corners.length; i++) if (isIntersecting[(i - (i % 3)) / 3] === 1) isMovedVertex[corners[i]] = 1;
  const isMoved = isIntersecting.slice();
  for (let i = 0; i < corners.length; i++) if (isMovedVertex[corners[i]] === 1) isMoved[(i - (i % 3)) / 3] = 1;

  const source = { positions: perturbVertices(mesh.positions, isMovedVertex, amplitudeMm, seed), triangles: corners };
  const tree = buildBvh(source.positions, corners);
  const graph = findIntersectionSegments(source, buildEdges(corners, isMovedVertex.length), tree, isMoved);
  const crossingsOf = graph && intersectSegments(source, graph);
  const split = crossingsOf && splitTriangles(source, graph, crossingsOf);
  if (!split) return undefined;

  return extractUnionBoundary(split, findPatches(source, tree, split), keepInvertedLobes);
}

/** Selects the patches of the union, and reverses those of inverted lobes. */
function extractUnionBoundary(
  split: SplitMesh,
  { shellOf, windingInFront }: Patches,
  keepInvertedLobes: boolean,
): SelfUnion {
  const windingOf = (triangle: number) => windingInFront[shellOf[triangle]];
  let outerVolumeMm3 = 0;
  let invertedVolumeMm3 = 0;
  for (let triangle = 0; triangle < shellOf.length; triangle++) {
    if (windingOf(triangle) === 0) outerVolumeMm3 += computeTetrahedronVolume(split, triangle);
    if (windingOf(triangle) === -1) invertedVolumeMm3 -= computeTetrahedronVolume(split, triangle);
  }
  const minWinding = keepInvertedLobes || invertedVolumeMm3 > outerVolumeMm3 * MAX_LOBE_VOLUME_FRACTION ? -1 : 0;
  const selected: number[] = [];
  for (let triangle = 0; triangle < shellOf.length; triangle++)
    if (windingOf(triangle) <= 0 && windingOf(triangle) >= minWinding) selected.push(triangle);
  const triangles = new Uint32Array(selected.length * 3);
  selected.forEach((triangle, index) => {
    const [a, b, c] = split.triangles.subarray(triangle * 3, triangle * 3 + 3);
    triangles.set(windingOf(triangle) === 0 ? [a, b, c] : [a, c, b], index * 3);
  });
  const parentOf = Uint32Array.from(selected, (triangle) => split.parentOf[triangle]);
  return { positions: split.positions, triangles, parentOf };
}

/**
 * Computes the signed volume of the tetrahedron between a triangle and vertex 0. Sums up to the volume of a closed
 * surface.
 */
function computeTetrahedronVolume({ positions: p, triangles }: SplitMesh, triangle: number): number {
  const [u, v, w] = [0, 1, 2].map((k) => {
    const offset = triangles[triangle * 3 + k] * 3;
    return [p[offset] - p[0], p[offset + 1] - p[1], p[offset + 2] - p[2]];
  });
  return (
    (u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) + u[2] * (v[0] * w[1] - v[1] * w[0])) / 6
  );
}
