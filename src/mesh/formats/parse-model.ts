import type { ReportWarning } from '../analysis/report.js';
import type { OnProgress } from '../core/mesh.js';
import { MeshError } from '../core/mesh-error.js';
import { UNIT_IN_MM, type Unit } from '../core/units.js';
import type { Format, ModelReader, PackedScene, ParsedModel, PlateSelection } from './format.js';
import type { HelperHandling } from './helper-bodies/body-placer.js';
import { SOLID_TOOLS } from './helper-bodies/subtract-negatives.js';
import type { ReadCompanion } from './reading/companion-path.js';
import { findFormat, isScene, unknownFormatError } from './recognition/find-format.js';
import { decodeText } from './text/decode-text.js';
import { selectPlate } from './three-mf/select-plate.js';

/** Options of `parseModel`. */
export interface ParseOptions {
  /** Its extension determines the format of content that leaves it open. */
  filename: string;
  /** The unit of files that do not declare one. Default: mm. */
  measurementUnits?: Unit | undefined;
  /** The largest distance of triangles from curved surfaces of a CAD file, in mm. Default: 1/1000 of the model size. */
  accuracyMm?: number | undefined;
  /** The largest angle between adjacent triangles of a curved surface, in degrees. Default: 20. */
  maxAngle?: number | undefined;
  /** How helper bodies of slicers are treated. Default: `apply`. */
  helpers?: HelperHandling | undefined;
  /** Which plates of a project are read. Default: all. */
  plate?: PlateSelection | undefined;
  /** The path of the model in an archive, or its name without folders. Default: the only model. */
  entry?: string | undefined;
  /** Reads the files that the model references. Default: none is available. An archive contains its own. */
  readCompanion?: ReadCompanion | undefined;
  onProgress?: OnProgress | undefined;
}

/** The model in a file. */
export interface ImportedModel extends ParsedFile {
  /** Whether a library read it. */
  usesLibrary: boolean;
}

/** A parsed model in mm. */
interface ParsedFile extends Omit<ParsedModel, 'isUnitless'> {
  /** The file states its unit, or its format defines it. */
  isUnitStated: boolean;
  /** Whether the objects of the file are parts of their own. */
  hasParts: boolean;
}

/**
 * Parses a model file into a mesh in mm with welded vertices. Asynchronous, because a library may have to be loaded
 * first. The content decides about the format, and the extension if the content leaves it open.
 *
 * Rejects with a `MeshError`: `FORMAT_UNKNOWN` if neither is known or the required package is missing, `FILE_EMPTY` if
 * the file contains no triangle, `SEVERAL_MODELS` for an archive of several, `ENTRY_UNKNOWN` if `entry` is none of its
 * entries, `FILE_ENCRYPTED` for encrypted content, `EXTENSION_UNSUPPORTED` if the file requires what is not read,
 * `PLATE_UNKNOWN` if it does not have the plate, `FILE_MALFORMED` if the content is not a model or damaged, `TOO_LARGE` if
 * memory does not suffice. All other problems are listed in `warnings`.
 */
export async function parseModel(bytes: Uint8Array, options: ParseOptions): Promise<ImportedModel> {
  const file = openFile(bytes, options);
  const loading = file.format.loadReader?.(file.content);
  const parsed = parseFile(file, loading ? await loading : file.format.read, options);
  return { ...parsed, usesLibrary: loading !== undefined };
}

/**
 * Parses a model file synchronously with a reader that is implemented in this package. Throws the errors that
 * `parseModel` rejects with; `FORMAT_UNKNOWN` without such a reader.
 */
export function parseModelSync(bytes: Uint8Array, options: ParseOptions): ParsedFile {
  const file = openFile(bytes, options);
  return parseFile(file, file.format.read, options);
}

/** A file whose content is decoded, if it is text. */
interface OpenedFile {
  filename: string;
  format: Format;
  content: Uint8Array;
  readCompanion: ReadCompanion | undefined;
  /** Whether the content is certainly of this format. */
  isCertain: boolean;
  /** That its extension is that of another format. */
  warnings: ReportWarning[];
}

/** Finds the format of a file. Returns the scene in an archive instead of the archive. */
function openFile(bytes: Uint8Array, { filename, readCompanion, entry }: ParseOptions, isEntry = false): OpenedFile {
  if (bytes.length === 0) throw new MeshError('FILE_EMPTY', `Could not read “${filename}”: the file is empty.`);
  const file = guardReading({ filename, content: bytes, warnings: [] }, () => {
    const { format, ...found } = findFormat(bytes, filename);
    const content = format.isBinary?.(bytes) ? bytes : decodeText(bytes);
    return { filename, format, content, readCompanion, ...found };
  });
  const { unpack } = file.format;
  if (!unpack) {
    if (entry === undefined) return file;
    const message = `Could not read the entry “${entry.slice(0, 80)}” of “${filename}”: it is not a ZIP of models. Omit “entry”.`;
    throw new MeshError('ENTRY_UNKNOWN', message);
  }
  if (isEntry)
    throw new MeshError(
      'FILE_MALFORMED',
      `Could not read “${filename}”: it is an archive in another one. Extract it first.`,
    );
  return guardReading(file, () => openScene(unpack(bytes, { isScene, entry }), file.warnings));
}

function openScene({ content, ...options }: PackedScene, warnings: ReportWarning[]): OpenedFile {
  const file = openFile(content, options, true);
  return { ...file, warnings: [...warnings, ...file.warnings] };
}

function parseFile(file: OpenedFile, read: ModelReader | undefined, options: ParseOptions): ParsedFile {
  const { filename, format, content, readCompanion } = file;
  const { measurementUnits = 'mm', accuracyMm, maxAngle, helpers: handling, plate, onProgress } = options;
  if (!read) throw unknownFormatError(filename);
  if (typeof plate === 'number' && !format.hasPlates) selectPlate([], plate);
  const unitInMm = UNIT_IN_MM[measurementUnits];
  const parsed = guardReading(file, () =>
    read(content, onProgress, {
      unitInMm,
      accuracyMm,
      maxAngle,
      helpers: handling,
      solidTools: SOLID_TOOLS,
      plate,
      readCompanion,
    }),
  );
  const { isUnitless = false, ...model } = parsed;
  const { mesh } = model;
  const warnings = [...file.warnings, ...model.warnings];
  if (mesh.triangles.length === 0) throw new MeshError('FILE_EMPTY', emptyMessage(file, warnings));
  const isUnitStated = format.hasUnits && !isUnitless;
  if (!isUnitStated) scale(mesh.positions, unitInMm);
  onProgress?.(1);
  const hasParts = !format.unitesObjects && (mesh.objects?.length ?? 0) > 1;
  return { ...model, warnings, isUnitStated, hasParts };
}

/**
 * Converts the error for a typed array or string that cannot be allocated. Adds to other errors that the extension is that
 * of another format.
 */
function guardReading<T>(
  { filename, content, warnings }: Pick<OpenedFile, 'filename' | 'content' | 'warnings'>,
  work: () => T,
): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof MeshError && warnings.length > 0) {
      const message = `Could not read “${filename}”. ${describe(warnings)} ${error.message}`;
      const { code, entries, hasMoreEntries } = error;
      throw new MeshError(code, message, { cause: error, entries, hasMoreEntries });
    }
    if (!(error instanceof RangeError)) throw error;
    const message = `Could not read “${filename}” (${content.length} bytes): not enough memory. Reduce the model first.`;
    throw new MeshError('TOO_LARGE', message, { cause: error });
  }
}

function describe(warnings: readonly ReportWarning[]): string {
  return warnings.map(({ message }) => message).join(' ');
}

function emptyMessage({ filename, format, isCertain }: OpenedFile, warnings: readonly ReportWarning[]): string {
  const reasons = [...(isCertain ? [] : [`It does not look like ${format.label}.`]), describe(warnings)];
  return `Could not read “${filename}”: it contains no triangles. ${reasons.join(' ')}`.trimEnd();
}

function scale(positions: Float64Array, factor: number): void {
  if (factor === 1) return;
  for (let i = 0; i < positions.length; i++) positions[i] *= factor;
}
