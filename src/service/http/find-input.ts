import { ServiceError } from '../service-error.js';
import type { Files } from '../store/files.js';
import type { FileRow } from '../store/schema.js';

const NOT_FOUND_ERRORS = {
  file: ['FILE_UNKNOWN', 'Use the `fileId` of an upload or export.'],
  model: ['MODEL_UNKNOWN', 'Use the `resultId` of an import or repair.'],
} as const;

/**
 * Returns the file or model with this id. Throws `FILE_UNKNOWN` or `MODEL_UNKNOWN` if `owner` has none of this kind
 * with this id, and `FILE_EXPIRED` if it was deleted.
 */
export async function findInput(files: Files, id: string, owner: string, kind: FileRow['kind']): Promise<FileRow> {
  const file = await files.find(id.toLowerCase(), owner);
  const shown = id.slice(0, 80);
  if (file?.kind !== kind) {
    const [code, remedy] = NOT_FOUND_ERRORS[kind];
    throw new ServiceError(code, `No ${kind} with id ${shown}. ${remedy}`);
  }
  if (file.deleted_at !== null) {
    throw new ServiceError(
      'FILE_EXPIRED',
      `The ${kind} ${shown} has expired and was deleted. Upload and import it again.`,
    );
  }
  return file;
}
