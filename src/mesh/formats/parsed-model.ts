import type { ReportWarning } from '../analysis/report.js';
import type { IndexedMesh, OnProgress } from '../core/mesh.js';

/**
 * What a reader makes of a file: a mesh, welded exactly, and what the user should know of the reading. Positions are in mm where the
 * format has units, else in the file's own.
 */
export interface ParsedModel {
  mesh: IndexedMesh;
  warnings: ReportWarning[];
  /** The format has units, but this file names none: positions are in the caller's. Default: as the format is. */
  isUnitless?: boolean;
}

/** What a caller asks of a reader. */
export interface ReadOptions {
  /** The length of the file's unit where it names none. */
  unitInMm: number;
  /** How far triangles may be from a curved surface, in mm. Default: a thousandth of the model's size. */
  accuracyMm?: number | undefined;
  /** The largest angle between neighbouring triangles of a curved surface, in degrees. Default: 20. */
  maxAngle?: number | undefined;
}

/**
 * Reads the bytes of one format. Throws a `MeshError` where nothing can be read; what can be saved is saved and told in a warning.
 * A mesh without triangles is allowed: the caller refuses it.
 */
export type ModelReader = (bytes: Uint8Array, onProgress: OnProgress | undefined, settings: ReadOptions) => ParsedModel;

/** Writes a mesh as one format, a chunk after the other. The same mesh gives the same bytes. */
export type ModelWriter = (mesh: IndexedMesh) => Iterable<Uint8Array>;
