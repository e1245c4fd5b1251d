import type { IndexedMesh } from '../core/mesh.js';
import type { Intersections } from '../intersections/find-intersections.js';
import { nextOf } from '../topology/half-edge.js';
import type { EdgeDefects } from './connectivity.js';
import type { DefectPlace } from './report.js';

/** Of each kind of defect at most this many places are told, spread evenly over all. */
const MAX_PLACES_PER_KIND = 100;

/**
 * Tells where the defects of a mesh are: edges by their middle and length, triangles by their centre and longest side, in mm.
 * Kinds: `boundaryEdge`, `nonManifoldEdge`, `inconsistentEdge`, `intersectingTriangle`, `overlappingTriangle`, `degenerateTriangle`.
 */
export function locateDefects(
  { positions, triangles }: IndexedMesh,
  { boundary, nonManifold, inconsistent }: EdgeDefects,
  { crossing, overlapping }: Intersections,
  isFlat: Uint8Array,
): DefectPlace[] {
  const kinds = [
    ['boundaryEdge', boundary],
    ['nonManifoldEdge', nonManifold],
    ['inconsistentEdge', inconsistent],
  ] as const;
  const places = kinds.flatMap(([defect, halfEdges]) =>
    sampleEvenly(halfEdges).map((h) => toDefectPlace(defect, positions, [triangles[h], triangles[nextOf(h)]])),
  );
  const flat: number[] = [];
  for (let triangle = isFlat.indexOf(1); triangle >= 0; triangle = isFlat.indexOf(1, triangle + 1)) flat.push(triangle);
  for (const [defect, which] of [
    ['intersectingTriangle', crossing],
    ['overlappingTriangle', overlapping],
    ['degenerateTriangle', flat],
  ] as const) {
    const corners = (triangle: number) => triangles.subarray(triangle * 3, triangle * 3 + 3);
    places.push(...sampleEvenly(which).map((triangle) => toDefectPlace(defect, positions, corners(triangle))));
  }
  // What is not finite has no place.
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
    Math.hypot(...point.map((part, k) => part - points[(i + 1) % points.length][k])),
  );
  return { defect, x, y, z, sizeMm: Math.max(...sides) };
}
