import type { MeshGeometry } from '../core/mesh.js';
import { sampleEvenly } from '../core/sample-evenly.js';
import { type DefectKind, type KnownDefects, listDefects } from './list-defects.js';
import type { DefectPlace } from './report.js';

/** At most this many places are returned per kind of defect, evenly sampled. */
const MAX_PLACES_PER_KIND = 100;

/**
 * Locates the defects of a mesh: edges by their midpoint and length, triangles by their centroid and longest side, in
 * mm. `DefectKind` has the kinds.
 */
export function locateDefects(mesh: MeshGeometry, known: KnownDefects): DefectPlace[] {
  const places = listDefects(mesh, known).flatMap(({ kind, elements, verticesOf }) =>
    sampleEvenly(elements, MAX_PLACES_PER_KIND).map((element) =>
      toDefectPlace(kind, mesh.positions, verticesOf(element)),
    ),
  );
  // Defects at vertices that are not finite cannot be located.
  return places.filter(({ sizeMm, x, y, z }) => Number.isFinite(sizeMm + x + y + z));
}

function toDefectPlace(defect: DefectKind, positions: Float64Array, vertices: readonly number[]): DefectPlace {
  const points = vertices.map((vertex) => [...positions.subarray(vertex * 3, vertex * 3 + 3)]);
  const [x, y, z] = [0, 1, 2].map((k) => points.reduce((sum, point) => sum + point[k] / points.length, 0));
  const sides = points.map((point, i) =>
    Math.hypot(...point.map((coordinate, k) => coordinate - points[(i + 1) % points.length][k])),
  );
  return { defect, x, y, z, sizeMm: Math.max(...sides) };
}
