import { cross, dot } from '../core/vec3.js';
import { createWorkCounter } from '../core/work-counter.js';
import { buildBvh } from '../spatial/bvh.js';
import type { MeshIndex } from '../spatial/mesh-index.js';
import { triangleOf } from '../topology/half-edge.js';
import { reverseWinding } from '../topology/reverse-winding.js';
import { findPatches, type Patches } from './find-patches.js';
import { intersectSegments } from './intersect-segments.js';
import { findIntersectionSegments } from './intersection-segments.js';
import { perturbVertices } from './perturb-vertices.js';
import { type SplitMesh, splitTriangles } from './split-triangles.js';

/** The result of `computeSelfUnion`. */
export interface SelfUnionResult {
  /** vertex → x, y, z in mm; includes vertices that no triangle uses */
  positions: Float64Array;
  /** triangle → three vertex indices */
  triangles: Uint32Array;
  /** triangle → the triangle of the source mesh that contains it */
  parentOf: Uint32Array;
}

/**
 * What happens to inverted regions. `keepLarge` keeps them if their total volume exceeds
 * `MIN_INVERTED_VOLUME_FRACTION`.
 */
export type InvertedRegionRule = 'keep' | 'keepLarge' | 'drop';

/**
 * Inverted regions are kept if their total volume exceeds this fraction of the total volume with winding number 1 or
 * more. Below it they are taken for folds of the surface and dropped.
 */
const MIN_INVERTED_VOLUME_FRACTION = 0.01;

/**
 * Computes the self-union of a closed mesh: the surface where the winding number changes from 0 to 1 (Q. Zhou, E.
 * Grinspun, D. Zorin, A. Jacobson: Mesh Arrangements for Solid Geometry, 2016). The paper constructs points exactly.
 * Here they are rounded to float64, and a perturbation removes the degenerate cases.
 *
 * 1. Perturbs the vertices of intersecting triangles, so that no triangles merely touch.
 * 2. Finds the segments in which pairs of triangles intersect.
 * 3. Finds the points where segments cross each other.
 * 4. Splits the triangles along the segments. The surface between segments is a patch.
 * 5. Computes the winding number in front of each patch.
 * 6. Selects the patches with winding number 0 in front and 1 behind.
 *
 * An inverted region is enclosed with winding number -1. The patches around inverted regions have winding number -1 in
 * front and 0 behind. They are dropped, or selected and reversed. If selected, they touch other shells along segments.
 *
 * @param isIntersecting triangle → 1 if its vertices are to be perturbed
 * @param amplitudeMm maximum perturbation of a vertex along each axis
 * @param seed seed of the random numbers for the perturbation
 * @param invertedRegions whether inverted regions are kept. Default: `keepLarge`.
 * @param work counts the work. Default: without a limit.
 * @returns `undefined` if triangles touch despite the perturbation, rounding prevents a consistent result, or the work
 * exceeds its limits
 */
export function computeSelfUnion(
  { mesh, edges }: MeshIndex,
  isIntersecting: Uint8Array,
  amplitudeMm: number,
  seed: number,
  invertedRegions: InvertedRegionRule = 'keepLarge',
  work = createWorkCounter(),
): SelfUnionResult | undefined {
  const corners = mesh.triangles;
  const isPerturbedVertex = new Uint8Array(mesh.positions.length / 3);
  for (let i = 0; i < corners.length; i++) if (isIntersecting[triangleOf(i)] === 1) isPerturbedVertex[corners[i]] = 1;
  const isPerturbedTriangle = isIntersecting.slice();
  for (let i = 0; i < corners.length; i++)
    if (isPerturbedVertex[corners[i]] === 1) isPerturbedTriangle[triangleOf(i)] = 1;

  const source = {
    positions: perturbVertices(mesh.positions, isPerturbedVertex, amplitudeMm, seed),
    triangles: corners,
  };
  const tree = buildBvh(source.positions, corners);
  const graph = findIntersectionSegments(source, edges(), tree, isPerturbedTriangle, work);
  const crossingsOf = graph && intersectSegments(source, graph, work);
  const split = crossingsOf && splitTriangles(source, graph, crossingsOf, work);
  const patches = split && findPatches(source, tree, split, work);
  return patches && extractUnionBoundary(split, patches, invertedRegions);
}

/** Selects the patches that bound the union. Reverses those around inverted regions. */
function extractUnionBoundary(
  split: SplitMesh,
  { shellOf: patchOf, windingInFront }: Patches,
  invertedRegions: InvertedRegionRule,
): SelfUnionResult {
  const windingOf = (triangle: number) => windingInFront[patchOf[triangle]];
  let outerVolumeMm3 = 0;
  let invertedVolumeMm3 = 0;
  for (let triangle = 0; triangle < patchOf.length; triangle++) {
    if (windingOf(triangle) === 0) outerVolumeMm3 += computeTetrahedronVolumeMm3(split, triangle);
    if (windingOf(triangle) === -1) invertedVolumeMm3 -= computeTetrahedronVolumeMm3(split, triangle);
  }
  const areLarge = invertedVolumeMm3 > outerVolumeMm3 * MIN_INVERTED_VOLUME_FRACTION;
  const minWinding = invertedRegions === 'keep' || (invertedRegions === 'keepLarge' && areLarge) ? -1 : 0;
  const selected: number[] = [];
  for (let triangle = 0; triangle < patchOf.length; triangle++)
    if (windingOf(triangle) <= 0 && windingOf(triangle) >= minWinding) selected.push(triangle);
  const triangles = new Uint32Array(selected.length * 3);
  selected.forEach((triangle, index) => {
    triangles.set(split.triangles.subarray(triangle * 3, triangle * 3 + 3), index * 3);
    if (windingOf(triangle) !== 0) reverseWinding(triangles, index);
  });
  const parentOf = Uint32Array.from(selected, (triangle) => split.parentOf[triangle]);
  return { positions: split.positions, triangles, parentOf };
}

/**
 * Computes the signed volume of the tetrahedron between a triangle and vertex 0. The sum over a closed surface is the
 * volume that it encloses. Vertex 0 replaces the origin to avoid cancellation far from it.
 */
function computeTetrahedronVolumeMm3({ positions: p, triangles }: SplitMesh, triangle: number): number {
  const [u, v, w] = [0, 1, 2].map((k) => {
    const offset = triangles[triangle * 3 + k] * 3;
    return [p[offset] - p[0], p[offset + 1] - p[1], p[offset + 2] - p[2]];
  });
  return dot(u, cross(v, w)) / 6;
}
