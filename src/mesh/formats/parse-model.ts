import type { ReportWarning } from '../analysis/report.js';
import type { OnProgress } from '../core/mesh.js';
import { MeshError } from '../core/mesh-error.js';
import { UNIT_IN_MM, type Unit } from '../core/units.js';
import { BUILT_IN_READERS } from './built-in-readers.js';
import { FORMATS, type FormatId, importFormatOf } from './format-table.js';
import { LIBRARY_READERS } from './libraries/readers.js';
import type { ModelReader, ParsedModel } from './parsed-model.js';
import { rejectMismatchedContent } from './reject-mismatched-content.js';

export interface ParseOptions {
  /** Its extension decides how the bytes are read. */
  filename: string;
  /** The unit of the file's numbers where the file names none. Default: mm. */
  measurementUnits?: Unit | undefined;
  /** How far triangles may be from the curved surfaces of a CAD file, in mm. Default: a thousandth of the model's size. */
  accuracyMm?: number | undefined;
  /** The largest angle between neighbouring triangles of such a surface, in degrees. Default: 20. */
  maxAngle?: number | undefined;
  onProgress?: OnProgress | undefined;
}

/**
 * Reads a model file into a mesh in mm, its equal vertices welded. A promise, since a library may have to be loaded first.
 *
 * Rejects with a `MeshError`: `FORMAT_UNKNOWN` by the filename, or where the package that reads the format is missing; `FILE_EMPTY` without a
 * triangle, `FILE_MALFORMED` where the content is something else, `TOO_LARGE` where memory does not suffice. Whatever else is wrong with the
 * file is told in `warnings`.
 */
export async function parseModel(bytes: Uint8Array, options: ParseOptions): Promise<ParsedModel> {
  const format = readableFormatOf(options.filename);
  const loading = LIBRARY_READERS[format]?.(bytes);
  return parseWith(loading ? { [format]: await loading } : BUILT_IN_READERS, bytes, options);
}

/** Does what `parseModel` does, at once, by readers that are there. Throws what it rejects with. */
export function parseWith(
  readers: Partial<Record<FormatId, ModelReader>>,
  bytes: Uint8Array,
  options: ParseOptions,
): ParsedModel {
  const { filename, measurementUnits = 'mm', onProgress } = options;
  const format = readableFormatOf(filename);
  const read = readers[format];
  if (!read) throw unknownFormat(filename);
  if (bytes.length === 0) throw new MeshError('FILE_EMPTY', `“${filename}” has no bytes`);
  const { mesh, warnings, isUnitless } = readGuarded(bytes, options, format, read);
  if (mesh.triangles.length === 0) throw new MeshError('FILE_EMPTY', emptyMessage(filename, warnings));
  const hasUnits = FORMATS.find(({ id }) => id === format)?.hasUnits && !isUnitless;
  if (!hasUnits) scale(mesh.positions, UNIT_IN_MM[measurementUnits]);
  onProgress?.(1);
  return { mesh, warnings };
}

function readGuarded(bytes: Uint8Array, options: ParseOptions, format: FormatId, read: ModelReader): ParsedModel {
  const { filename, measurementUnits = 'mm', accuracyMm, maxAngle, onProgress } = options;
  try {
    rejectMismatchedContent(bytes, filename, format);
    return read(bytes, onProgress, { unitInMm: UNIT_IN_MM[measurementUnits], accuracyMm, maxAngle });
  } catch (error) {
    // Typed arrays and strings that cannot be made throw a RangeError.
    if (!(error instanceof RangeError)) throw error;
    const message = `“${filename}” (${bytes.length} bytes) is too large for the memory at hand`;
    throw new MeshError('TOO_LARGE', message, { cause: error });
  }
}

function readableFormatOf(filename: string): FormatId {
  const format = importFormatOf(filename);
  if (!format) throw unknownFormat(filename);
  return format;
}

const unknownFormat = (filename: string): MeshError =>
  new MeshError('FORMAT_UNKNOWN', `No reader for “${filename}”: known are ${listReadableExtensions()}`);

function listReadableExtensions(): string {
  return FORMATS.filter(({ canImport }) => canImport)
    .flatMap(({ extensions }) => extensions.map((extension) => `.${extension}`))
    .join(', ');
}

function emptyMessage(filename: string, warnings: readonly ReportWarning[]): string {
  const why = warnings.map(({ message }) => message).join('; ');
  return `“${filename}” holds no triangle${why ? ` (${why})` : ''}`;
}

function scale(positions: Float64Array, factor: number): void {
  if (factor === 1) return;
  for (let i = 0; i < positions.length; i++) positions[i] *= factor;
}
