import type { OnProgress } from '../mesh.js';
import { MeshError } from '../mesh-error.js';
import type { ReportWarning } from '../report.js';
import { UNIT_IN_MM, type Unit } from '../units.js';
import type { ModelFile, ReadModel } from './model-file.js';
import { OWN_READERS } from './own-readers.js';
import { refuseForeignContent } from './refuse-foreign-content.js';
import { FORMATS, type FormatId, importFormatOf } from './table.js';

export interface ParseOptions {
  /** Its extension decides how the bytes are read. */
  filename: string;
  /** The unit of the file's numbers where the format names none. Default: mm. */
  measurementUnits?: Unit | undefined;
  onProgress?: OnProgress | undefined;
}

/**
 * Reads a model file into a mesh in mm, its equal vertices welded. A promise, since a reader may have to be loaded first.
 *
 * Rejects with a `MeshError`: `FORMAT_UNKNOWN` by the filename, `FILE_EMPTY` without a triangle, `FILE_MALFORMED` where the content
 * is something else, `TOO_LARGE` where memory does not suffice. Whatever else is wrong with the file is told in `warnings`.
 */
export async function parseModel(bytes: Uint8Array, options: ParseOptions): Promise<ModelFile> {
  return parseWith(OWN_READERS, bytes, options);
}

/** Does what `parseModel` does, at once, by readers that are there. Throws what it rejects with. */
export function parseWith(
  readers: Partial<Record<FormatId, ReadModel>>,
  bytes: Uint8Array,
  options: ParseOptions,
): ModelFile {
  const { filename, measurementUnits, onProgress } = options;
  const format = importFormatOf(filename);
  const read = format && readers[format];
  if (!format || !read) throw new MeshError('FORMAT_UNKNOWN', `No reader for “${filename}”: known are ${readable()}`);
  if (bytes.length === 0) throw new MeshError('FILE_EMPTY', `“${filename}” has no bytes`);
  const { mesh, warnings } = readWithin(bytes, options, format, read);
  if (mesh.triangles.length === 0) throw new MeshError('FILE_EMPTY', emptyMessage(filename, warnings));
  if (measurementUnits && !FORMATS.find(({ id }) => id === format)?.hasUnits) {
    scale(mesh.positions, UNIT_IN_MM[measurementUnits]);
  }
  onProgress?.(1);
  return { mesh, warnings };
}

function readWithin(bytes: Uint8Array, options: ParseOptions, format: FormatId, read: ReadModel): ModelFile {
  const { filename, onProgress } = options;
  try {
    refuseForeignContent(bytes, filename, format);
    return read(bytes, onProgress);
  } catch (error) {
    // Typed arrays and strings that cannot be made throw a RangeError.
    if (!(error instanceof RangeError)) throw error;
    const message = `“${filename}” (${bytes.length} bytes) is too large for the memory at hand`;
    throw new MeshError('TOO_LARGE', message, { cause: error });
  }
}

function readable(): string {
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
