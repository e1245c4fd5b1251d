import type { ReportWarning } from '../analysis/report.js';
import type { IndexedMesh, OnProgress } from '../core/mesh.js';

/**
 * The result of a reader: a mesh with welded vertices, and warnings for the user. Positions are in mm if the format
 * declares units, else in the unit of the file.
 */
export interface ParsedModel {
  mesh: IndexedMesh;
  warnings: ReportWarning[];
  /**
   * Set if the format declares units but this file does not: positions are then in the unit of the caller. Default: as
   * `hasUnits` of the format.
   */
  isUnitless?: boolean;
}

/** Options of a reader. */
export interface ReadOptions {
  /** Millimeters per unit for files that do not declare a unit. */
  unitInMm: number;
  /** The largest distance of triangles from a curved surface, in mm. Default: 1/1000 of the model size. */
  accuracyMm?: number | undefined;
  /** The largest angle between adjacent triangles of a curved surface, in degrees. Default: 20. */
  maxAngle?: number | undefined;
}

/**
 * Parses the bytes of one format. Recovers as much as possible and reports the rest as warnings. Throws a `MeshError`
 * if nothing can be read. May return a mesh without triangles, which the caller rejects.
 */
export type ModelReader = (bytes: Uint8Array, onProgress: OnProgress | undefined, options: ReadOptions) => ParsedModel;

/** Serializes a mesh in chunks. Equal meshes produce equal bytes. */
export type ModelWriter = (mesh: IndexedMesh) => Iterable<Uint8Array>;
