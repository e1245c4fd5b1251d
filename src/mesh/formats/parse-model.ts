import type { ReportWarning } from '../analysis/report.js';
import type { OnProgress } from '../core/mesh.js';
import { MeshError } from '../core/mesh-error.js';
import { UNIT_IN_MM, type Unit } from '../core/units.js';
import type { Format, ModelReader, ParsedModel } from './format.js';
import { IMPORT_FORMATS, importFormatOf } from './registry.js';
import { rejectMismatchedContent } from './reject-mismatched-content.js';
import { decodeText } from './text/decode-text.js';

/** Options of `parseModel`. */
export interface ParseOptions {
  /** Its extension determines the format. */
  filename: string;
  /** The unit of files that do not declare one. Default: mm. */
  measurementUnits?: Unit | undefined;
  /** The largest distance of triangles from curved surfaces of a CAD file, in mm. Default: 1/1000 of the model size. */
  accuracyMm?: number | undefined;
  /** The largest angle between adjacent triangles of a curved surface, in degrees. Default: 20. */
  maxAngle?: number | undefined;
  onProgress?: OnProgress | undefined;
}

/**
 * Parses a model file into a mesh in mm with welded vertices. Asynchronous, because a library may have to be loaded
 * first.
 *
 * Rejects with a `MeshError`: `FORMAT_UNKNOWN` if the extension is unknown or the required package is missing,
 * `FILE_EMPTY` if the file contains no triangle, `FILE_MALFORMED` if the content does not match the extension,
 * `TOO_LARGE` if memory does not suffice. All other problems are listed in `warnings`.
 */
export async function parseModel(bytes: Uint8Array, options: ParseOptions): Promise<ParsedModel> {
  const format = readableFormatOf(options.filename);
  const loading = format.loadReader?.(decode(bytes, format));
  return parseWith(loading ? await loading : format.read, bytes, options);
}

/**
 * Parses a model file synchronously with a reader of its format. Throws the errors that `parseModel` rejects with;
 * `FORMAT_UNKNOWN` without a reader.
 */
export function parseWith(read: ModelReader | undefined, bytes: Uint8Array, options: ParseOptions): ParsedModel {
  const { filename, measurementUnits = 'mm', onProgress } = options;
  const format = readableFormatOf(filename);
  if (!read) throw unknownFormatError(filename);
  if (bytes.length === 0) throw new MeshError('FILE_EMPTY', `Could not read “${filename}”: the file is empty.`);
  const { mesh, warnings, isUnitless } = readGuarded(bytes, options, format, read);
  if (mesh.triangles.length === 0) throw new MeshError('FILE_EMPTY', emptyMessage(filename, warnings));
  if (!format.hasUnits || isUnitless) scale(mesh.positions, UNIT_IN_MM[measurementUnits]);
  onProgress?.(1);
  return { mesh, warnings };
}

function readGuarded(bytes: Uint8Array, options: ParseOptions, format: Format, read: ModelReader): ParsedModel {
  const { filename, measurementUnits = 'mm', accuracyMm, maxAngle, onProgress } = options;
  try {
    const content = decode(bytes, format);
    rejectMismatchedContent(content, filename, format);
    return read(content, onProgress, { unitInMm: UNIT_IN_MM[measurementUnits], accuracyMm, maxAngle });
  } catch (error) {
    // A typed array or string that cannot be allocated throws a RangeError.
    if (!(error instanceof RangeError)) throw error;
    const message = `Could not read “${filename}” (${bytes.length} bytes): not enough memory. Reduce the model first.`;
    throw new MeshError('TOO_LARGE', message, { cause: error });
  }
}

/** Returns text as UTF-8 without a byte order mark, so that no reader has to know one. */
function decode(bytes: Uint8Array, { isBinary }: Format): Uint8Array {
  return isBinary?.(bytes) ? bytes : decodeText(bytes);
}

function readableFormatOf(filename: string): Format {
  const format = importFormatOf(filename);
  if (!format) throw unknownFormatError(filename);
  return format;
}

function unknownFormatError(filename: string): MeshError {
  return new MeshError(
    'FORMAT_UNKNOWN',
    `Could not read “${filename}”: unsupported extension. Use one of ${listReadableExtensions()}.`,
  );
}

function listReadableExtensions(): string {
  return IMPORT_FORMATS.flatMap(({ extensions }) => extensions.map((extension) => `.${extension}`)).join(', ');
}

function emptyMessage(filename: string, warnings: readonly ReportWarning[]): string {
  return [`Could not read “${filename}”: it contains no triangles.`, ...warnings.map(({ message }) => message)].join(
    ' ',
  );
}

function scale(positions: Float64Array, factor: number): void {
  if (factor === 1) return;
  for (let i = 0; i < positions.length; i++) positions[i] *= factor;
}
