import { analyzeIndexed } from '../analysis/analyze.js';
import { type ModelNotes, NO_NOTES } from '../analysis/model-notes.js';
import type { AnalysisWithPlaces } from '../analysis/report.js';
import type { IndexedMesh, MeshGeometry } from '../core/mesh.js';
import { createMeshIndex } from '../spatial/mesh-index.js';
import { collectDefects, collectPartDefects, type PreviewDefects } from './collect-defects.js';
import { simplifySurface } from './simplify-surface.js';

/** What a viewer shows of a mesh. */
export interface Preview {
  mesh: MeshGeometry;
  /** The analysis of the mesh. */
  analyzed: AnalysisWithPlaces;
  /** The notes of the model. */
  notes: ModelNotes;
  surface: MeshGeometry;
  /** A surface for moving pictures, if `surface` has more triangles than that. */
  coarseSurface: MeshGeometry | undefined;
  /** An estimate of the max distance between `surface` and the mesh, without the rounding of the file. */
  deviationMm: number;
  /** The defects of the mesh, with its vertices. */
  defects: PreviewDefects[];
}

export interface PreviewOptions {
  /** Limit of triangles of the surface. */
  maxTriangles: number;
  /** The analysis of the mesh. Default: analyzes it. */
  analyzed?: AnalysisWithPlaces | undefined;
  /** The notes of the model. Default: none. */
  notes?: ModelNotes | undefined;
}

/** Limit of triangles of the coarse surface. */
export const MAX_COARSE_TRIANGLES = 20_000;

/**
 * Creates the preview of a mesh: a simplified surface, a coarse one for moving pictures, and the defects of the mesh
 * itself. Deterministic. Throws a RangeError if memory does not suffice.
 */
export async function createPreview(mesh: IndexedMesh, options: PreviewOptions): Promise<Preview> {
  const { maxTriangles, analyzed, notes = NO_NOTES } = options;
  const index = createMeshIndex(mesh);
  const known = analyzed ?? analyzeIndexed(index);
  const { surface, deviationMm } = await simplifySurface(mesh, maxTriangles);
  const { surface: coarse } = await simplifySurface(surface, MAX_COARSE_TRIANGLES);
  const coarseSurface = coarse === surface ? undefined : coarse;
  const defects = known.analysis.parts
    ? collectPartDefects(mesh, known.analysis)
    : collectDefects(index, known.analysis);
  return { mesh, analyzed: known, notes, surface, coarseSurface, deviationMm, defects };
}
