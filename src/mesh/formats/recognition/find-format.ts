import type { ReportWarning } from '../../analysis/report.js';
import { MeshError } from '../../core/mesh-error.js';
import type { Format } from '../format.js';
import { IMPORT_FORMATS, importFormatOf } from '../registry.js';
import { listEntryNames, recognizeZip } from '../zip/recognize-zip.js';
import { type Content, isText, readContent } from './content.js';
import { recognizeForeignContent } from './foreign-content.js';

/** The format in which a file is read. */
export interface FoundFormat {
  format: Format;
  /** Whether the content is certainly of this format. */
  isCertain: boolean;
  /** That the extension is that of another format. */
  warnings: ReportWarning[];
}

/**
 * Returns the format of a file: that of the extension if the content may be one, else the one that recognizes the content.
 * Throws `FILE_MALFORMED` for content that is not a model, with its kind, and `FORMAT_UNKNOWN` if both are unknown.
 */
export function findFormat(bytes: Uint8Array, filename: string): FoundFormat {
  const content = readContent(bytes);
  const expected = importFormatOf(filename);
  if (expected && (expected.recognizes?.(content) || acceptsArchive(expected, content)))
    return { format: expected, isCertain: true, warnings: [] };
  const format = IMPORT_FORMATS.find(({ recognizes }) => recognizes?.(content));
  if (format) return { format, isCertain: true, warnings: [createWarning(format, filename)] };
  assertNotForeign(content, filename, expected);
  if (!expected) throw unknownFormatError(filename);
  return { format: expected, isCertain: false, warnings: [] };
}

/**
 * Returns whether content is a ZIP archive that the format reads itself: with its own entry, or without any model, as a
 * damaged file has.
 */
function acceptsArchive({ archivedExtension: extension }: Format, content: Content): boolean {
  if (extension === undefined || !recognizeZip(content)) return false;
  const names = listEntryNames(content);
  return names.some((name) => name.toLowerCase().endsWith(extension)) || !names.some(isScene);
}

/** Returns whether a filename has an extension that can be imported and is not that of an archive. */
export function isScene(filename: string): boolean {
  const format = importFormatOf(filename);
  return format !== undefined && !format.unpack;
}

function assertNotForeign(content: Content, filename: string, expected: Format | undefined): void {
  const foreign = recognizeForeignContent(content);
  const subject = `Could not read “${filename}”`;
  if (foreign)
    throw new MeshError('FILE_MALFORMED', `${subject}: it is ${foreign.name}, not a model. ${foreign.remedy}.`);
  if (!expected || !isText(content)) return;
  // A reader of binary files would read any text as numbers.
  const isArchive = expected.unpack !== undefined || expected.archivedExtension !== undefined;
  if (!isArchive && !expected.isBinary?.(content.bytes)) return;
  throw new MeshError('FILE_MALFORMED', `${subject}: it is text, but not ${expected.label}. Export the model again.`);
}

function createWarning({ label }: Format, filename: string): ReportWarning {
  const [extension] = /\.[^./\\]+$/.exec(filename) ?? [];
  const name = extension === undefined ? 'without an extension' : `named ${extension.slice(0, 40)}`;
  return { code: 'EXTENSION_WRONG', message: `This is ${label} ${name}; it was read by its content.` };
}

/** Returns the error for a file whose format is not known. */
export function unknownFormatError(filename: string): MeshError {
  const extensions = IMPORT_FORMATS.flatMap((format) => format.extensions.map((extension) => `.${extension}`));
  const message = `Could not read “${filename}”: neither its content nor its extension is that of a model. Use one of ${extensions.join(', ')}.`;
  return new MeshError('FORMAT_UNKNOWN', message);
}
