import type { MeshGeometry } from '../core/mesh.js';
import type { Intersections } from '../intersections/find-intersections.js';
import type { EdgeDefects } from '../topology/connectivity.js';
import { nextOf } from '../topology/half-edge.js';
import type { DefectPlace } from './report.js';

/** At most this many places are returned per kind of defect, evenly sampled. */
const MAX_PLACES_PER_KIND = 100;

/**
 * Locates the defects of a mesh: edges by their midpoint and length, triangles by their centroid and longest side, in
 * mm. Kinds: `boundaryEdge`, `nonManifoldEdge`, `inconsistentEdge`, `intersectingTriangle`, `overlappingTriangle`,
 * `degenerateTriangle`.
 */
export function locateDefects(
  { positions, triangles }: MeshGeometry,
  { boundary, nonManifold, inconsistent }: EdgeDefects,
  { crossing, overlapping }: Intersections,
  isDegenerate: Uint8Array,
): DefectPlace[] {
  const kinds = [
    ['boundaryEdge', boundary],
    ['nonManifoldEdge', nonManifold],
    ['inconsistentEdge', inconsistent],
  ] as const;
  const places = kinds.flatMap(([defect, halfEdges]) =>
    sampleEvenly(halfEdges).map((h) => toDefectPlace(defect, positions, [triangles[h], triangles[nextOf(h)]])),
  );
  const degenerate: number[] = [];
  for (let triangle = isDegenerate.indexOf(1); triangle >= 0; triangle = isDegenerate.indexOf(1, triangle + 1))
    degenerate.push(triangle);
  for (const [defect, defective] of [
    ['intersectingTriangle', crossing],
    ['overlappingTriangle', overlapping],
    ['degenerateTriangle', degenerate],
  ] as const) {
    const corners = (triangle: number) => triangles.subarray(triangle * 3, triangle * 3 + 3);
    places.push(...sampleEvenly(defective).map((triangle) => toDefectPlace(defect, positions, corners(triangle))));
  }
  // Defects at vertices that are not finite cannot be located.
  return places.filter(({ sizeMm, x, y, z }) => Number.isFinite(sizeMm + x + y + z));
}

function sampleEvenly(all: ArrayLike<number>): number[] {
  const count = Math.min(all.length, MAX_PLACES_PER_KIND);
  return Array.from({ length: count }, (_, i) => all[Math.floor((i * all.length) / count)]);
}

function toDefectPlace(defect: string, positions: Float64Array, vertices: ArrayLike<number>): DefectPlace {
  const points = Array.from(vertices, (vertex) => [...positions.subarray(vertex * 3, vertex * 3 + 3)]);
  const [x, y, z] = [0, 1, 2].map((k) => points.reduce((sum, point) => sum + point[k] / points.length, 0));
  const sides = points.map((point, i) =>
    Math.hypot(...point.map((coordinate, k) => coordinate - points[(i + 1) % points.length][k])),
  );
  return { defect, x, y, z, sizeMm: Math.max(...sides) };
}
