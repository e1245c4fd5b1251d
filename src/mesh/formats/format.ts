import type { ReportWarning, SkippedContent } from '../analysis/report.js';
import type { HelperBodies, HelperRole, IndexedMesh, OnProgress } from '../core/mesh.js';
import type { Point } from '../geometry/far-origin.js';
import type { HelperHandling } from './helper-bodies/body-placer.js';
import type { SolidTools } from './helper-bodies/subtract-negatives.js';
import type { ReadCompanion } from './reading/companion-path.js';
import type { Content } from './recognition/content.js';
import type { SceneOptions } from './zip/find-scene.js';

/**
 * A file format: its properties, its reader and its writer. `registry.ts` lists all formats. The service process only
 * asks for properties; that it loads the readers too costs 0.7 MiB of 79. Libraries are loaded by `loadReader`.
 */
export interface Format {
  /** Its name in the API and on the command line. */
  id: string;
  /** What its files are called in messages, with an article. */
  label: string;
  /** File extensions in lower case without a dot. The first one is used for new files. */
  extensions: readonly string[];
  mediaType: string;
  /** Whether files declare their unit of length. If not, the caller may specify it. */
  hasUnits: boolean;
  /** Whether files store coordinates as float32, so that an export rounds them first. Default: full precision. */
  isFloat32?: boolean;
  /** Whether files store a translation too, so that float32 coordinates may be relative to an origin. Default: false. */
  hasTranslation?: boolean;
  /** Whether files may have helper bodies of slicers, so that an import accepts `helpers`. Default: false. */
  hasHelpers?: boolean;
  /** Whether files may have plates, of which an import selects one. Default: a file is one plate. */
  hasPlates?: boolean;
  /** Whether its writer stores helper bodies with these roles. Default: none. */
  writtenRoles?: readonly HelperRole[];
  /** Whether the objects of a file are sections of one part, rather than parts. Default: false. */
  unitesObjects?: boolean;
  /** Whether surfaces may be curved, so that an import accepts `accuracyMm` and `maxAngle`. Default: false. */
  isCurved?: boolean;
  /** The npm package that has to be installed to read the format. Default: none. */
  needsPackage?: string;
  /**
   * Returns whether content is certainly a file of this format, so that it is read by this format in spite of another
   * extension. Default: the extension decides.
   */
  recognizes?: (content: Content) => boolean;
  /** The extension, with a dot, of the entry that is read of a file that is a ZIP archive. Default: none is. */
  archivedExtension?: string;
  /** Returns whether content that begins with a byte order mark is binary nevertheless. Default: it is decoded as text. */
  isBinary?: (bytes: Uint8Array) => boolean;
  /**
   * Returns the file in an archive that is read instead, by the format of its own name. `isScene` returns whether a name
   * has an extension that can be imported and is not that of an archive. `entry`: the name of the file. Default: files are
   * no archives.
   */
  unpack?: (bytes: Uint8Array, options: SceneOptions) => PackedScene;
  /** The reader that is implemented in this package. Default: none. */
  read?: ModelReader;
  /** Loads the reader that is a library or needs one; `undefined` for a file that `read` parses alone. Default: none. */
  loadReader?: (bytes: Uint8Array) => Promise<ModelReader> | undefined;
  /** Its writer. Default: the format cannot be exported. */
  write?: ModelWriter;
}

/** A file in an archive, and the other files there. */
export interface PackedScene {
  filename: string;
  content: Uint8Array;
  readCompanion: ReadCompanion;
}

/**
 * The result of a reader: a mesh with welded vertices, and warnings for the user. Positions are in mm if the format
 * declares units, else in the unit of the file.
 */
export interface ParsedModel {
  mesh: IndexedMesh;
  warnings: ReaderWarning[];
  /**
   * Set if the format declares units but this file does not: positions are then in the unit of the caller. Default: as
   * `hasUnits` of the format.
   */
  isUnitless?: boolean;
  /** Helper bodies that are kept beside the mesh, in its unit. Default: none. */
  helpers?: HelperBodies;
  /** Why the mesh is not what the file meant. Default: nothing is known. */
  reasons?: readonly string[];
  /** Of a truncated file: the fraction of its triangles or faces that were read, 0..1. Default: unknown. */
  readFraction?: number | undefined;
}

/** A warning of a reader, and what of the file it skipped. */
export interface ReaderWarning extends ReportWarning {
  skipped?: SkippedContent;
}

/** The number of a plate of a project, or all of them. */
export type PlateSelection = number | 'all';

/** Options of a reader. */
export interface ReadOptions {
  /** Millimeters per unit for files that do not declare a unit. */
  unitInMm: number;
  /** The largest distance of triangles from a curved surface, in mm. Default: 1/1000 of the model size. */
  accuracyMm?: number | undefined;
  /** The largest angle between adjacent triangles of a curved surface, in degrees. Default: 20. */
  maxAngle?: number | undefined;
  /** How helper bodies of slicers are treated. Default: `apply`. */
  helpers?: HelperHandling | undefined;
  /** Default: negative volumes cannot be subtracted. */
  solidTools?: SolidTools | undefined;
  /** Which plates of a project are read. Default: all. */
  plate?: PlateSelection | undefined;
  /** Reads the files that the scene references. Default: none is available. */
  readCompanion?: ReadCompanion | undefined;
}

/**
 * Parses the bytes of one format. Recovers as much as possible and reports the rest as warnings. Throws a `MeshError`
 * if nothing can be read. May return a mesh without triangles, which the caller rejects.
 */
export type ModelReader = (bytes: Uint8Array, onProgress: OnProgress | undefined, options: ReadOptions) => ParsedModel;

/** A mesh as a format stores it. */
export interface FittedMesh extends IndexedMesh {
  /** The point relative to which a format with a translation stores coordinates. Default: zero. */
  origin?: Point | undefined;
}

/** Serializes a mesh in chunks. Equal meshes produce equal bytes. `helpers`: only for a format that has roles. */
export type ModelWriter = (mesh: FittedMesh, helpers?: HelperBodies) => Iterable<Uint8Array>;
