import { type DefectKind, type DefectList, listDefects } from '../analysis/list-defects.js';
import type { Analysis } from '../analysis/report.js';
import type { IndexedMesh } from '../core/mesh.js';
import { sampleEvenly } from '../core/sample-evenly.js';
import { findIntersectionsOf, markDegenerateTrianglesOf } from '../intersections/mark-intersecting.js';
import { createMeshIndex, type MeshIndex } from '../spatial/mesh-index.js';
import { splitParts } from '../spatial/split-parts.js';

/** The defects of one kind in a preview. */
export interface PreviewDefects {
  kind: DefectKind;
  /** The number of such defects in the mesh. */
  count: number;
  /** The number of those in `vertices`. */
  countShown: number;
  /** Edges or triangles: element → its vertices in the mesh */
  vertices: Uint32Array;
  /** 2 for edges, 3 for triangles. */
  verticesPerElement: 2 | 3;
}

/** At most this many defects per kind are in a preview, evenly sampled. */
export const MAX_DEFECTS_PER_KIND = 20_000;

/**
 * Collects the defects of a mesh, of every kind that has some. Searches only for those that the analysis of the mesh
 * counts.
 */
export function collectDefects(index: MeshIndex, analysis: Analysis): PreviewDefects[] {
  const { badEdges, degenerateTriangles, qualityParams } = analysis;
  const isIntersecting = qualityParams.intersectingTriangles + qualityParams.overlappingTriangles > 0;
  const none = new Uint32Array();
  const lists = listDefects(index.mesh, {
    edgeDefects: badEdges > 0 ? index.edgeDefects() : { boundary: [], nonManifold: [], inconsistent: [] },
    intersections: isIntersecting ? index.derive(findIntersectionsOf) : { crossing: none, overlapping: none },
    isDegenerate: degenerateTriangles > 0 ? index.derive(markDegenerateTrianglesOf) : new Uint8Array(),
  });
  return lists.filter(({ elements }) => elements.length > 0).map(toPreviewDefects);
}

/** Collects the defects of the parts of a mesh, each by itself: their contact is none. */
export function collectPartDefects(mesh: IndexedMesh, analysis: Analysis): PreviewDefects[] {
  const byKind = new Map<DefectKind, PreviewDefects[]>();
  for (const { vertexOf, ...part } of splitParts(mesh))
    for (const defects of collectDefects(createMeshIndex(part), analysis)) {
      const vertices = defects.vertices.map((vertex) => vertexOf[vertex]);
      byKind.set(defects.kind, [...(byKind.get(defects.kind) ?? []), { ...defects, vertices }]);
    }
  return [...byKind.values()].map(mergePreviewDefects);
}

/** Merges defects of one kind, up to the same limit. */
function mergePreviewDefects(all: readonly PreviewDefects[]): PreviewDefects {
  const [{ kind, verticesPerElement }] = all;
  const vertices = Uint32Array.from(all.flatMap((defects) => [...defects.vertices]));
  const shown = vertices.subarray(0, MAX_DEFECTS_PER_KIND * verticesPerElement);
  const count = all.reduce((sum, defects) => sum + defects.count, 0);
  return { kind, count, countShown: shown.length / verticesPerElement, vertices: shown, verticesPerElement };
}

function toPreviewDefects({ kind, elements, verticesPerElement, verticesOf }: DefectList): PreviewDefects {
  const shown = sampleEvenly(elements, MAX_DEFECTS_PER_KIND);
  const vertices = Uint32Array.from(shown.flatMap(verticesOf));
  return { kind, count: elements.length, countShown: shown.length, vertices, verticesPerElement };
}
