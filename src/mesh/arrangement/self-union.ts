import type { IndexedMesh } from '../core/mesh.js';
import { buildBvh } from '../spatial/bvh.js';
import { buildEdges } from '../topology/edges.js';
import { findPatches, type Patches } from './find-patches.js';
import { intersectSegments } from './intersect-segments.js';
import { findIntersectionSegments } from './intersection-segments.js';
import { perturbVertices } from './perturb-vertices.js';
import { type SplitMesh, splitTriangles } from './split-triangles.js';

/** The outermost surface of a mesh, or what was found of it. */
export interface SelfUnion {
  positions: Float64Array;
  triangles: Uint32Array;
  /** triangle → the triangle of the mesh that it is a part of */
  parentOf: Uint32Array;
}

/** Volume that a surface goes round the wrong way is turned where it is more than this share of the rest, else it is a fold and left out. */
const MAX_LOBE_VOLUME_FRACTION = 0.01;

/**
 * Makes one surface of all that crosses, overlaps and touches in a closed mesh: where its winding number goes from 0 to 1. All triangles are split
 * along the lines in which they meet; of the patches between those lines the ones stay that have nothing in front and something behind.
 * Where the surface crosses itself so that it goes the wrong way round a part of size, that part is turned and stays too: it then touches the rest.
 *
 * `keepInvertedLobes`: parts that it goes round the wrong way are turned and stay, however small.
 *
 * So that nothing only just touches, the vertices of `isIntersecting` triangles (triangle → 1) are first moved by up to `amplitudeMm` along each axis,
 * by numbers that `seed` decides. `undefined` where rounding, or the amount of work, does not let it end.
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
  const cuts = findIntersectionSegments(source, buildEdges(corners, isMovedVertex.length), tree, isMoved);
  const crossingsOf = cuts && intersectSegments(source, cuts);
  const split = crossingsOf && splitTriangles(source, cuts, crossingsOf);
  if (!split) return undefined;

  return extractUnionBoundary(split, findPatches(source, tree, split), keepInvertedLobes);
}

function extractUnionBoundary(
  split: SplitMesh,
  { shellOf, windingInFront }: Patches,
  keepInvertedLobes: boolean,
): SelfUnion {
  const windingOf = (triangle: number) => windingInFront[shellOf[triangle]];
  let outerVolumeMm3 = 0;
  let invertedVolumeMm3 = 0;
  for (let triangle = 0; triangle < shellOf.length; triangle++) {
    if (windingOf(triangle) === 0) outerVolumeMm3 += signedTetrahedronVolume(split, triangle);
    if (windingOf(triangle) === -1) invertedVolumeMm3 -= signedTetrahedronVolume(split, triangle);
  }
  const lowest = keepInvertedLobes || invertedVolumeMm3 > outerVolumeMm3 * MAX_LOBE_VOLUME_FRACTION ? -1 : 0;
  const kept: number[] = [];
  for (let triangle = 0; triangle < shellOf.length; triangle++)
    if (windingOf(triangle) <= 0 && windingOf(triangle) >= lowest) kept.push(triangle);
  const triangles = new Uint32Array(kept.length * 3);
  kept.forEach((triangle, offset) => {
    const [a, b, c] = split.triangles.subarray(triangle * 3, triangle * 3 + 3);
    triangles.set(windingOf(triangle) === 0 ? [a, b, c] : [a, c, b], offset * 3);
  });
  const parentOf = Uint32Array.from(kept, (triangle) => split.parentOf[triangle]);
  return { positions: split.positions, triangles, parentOf };
}

/** The signed volume between a triangle and the first vertex: meaningful as a sum over a closed surface only. */
function signedTetrahedronVolume({ positions: p, triangles }: SplitMesh, triangle: number): number {
  const [u, v, w] = [0, 1, 2].map((k) => {
    const offset = triangles[triangle * 3 + k] * 3;
    return [p[offset] - p[0], p[offset + 1] - p[1], p[offset + 2] - p[2]];
  });
  return (
    (u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) + u[2] * (v[0] * w[1] - v[1] * w[0])) / 6
  );
}
