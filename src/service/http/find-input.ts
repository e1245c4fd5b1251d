import { ServiceError } from '../service-error.js';
import type { Files } from '../store/files.js';
import type { FileRow } from '../store/schema.js';

const NOT_FOUND_ERRORS = {
  file: ['FILE_UNKNOWN', 'Use the `fileId` of an upload or export.'],
  model: ['MODEL_UNKNOWN', 'Use the `resultId` of an import or repair.'],
} as const;

/** Returns the error for a stored file whose bytes are missing or were altered. */
export function fileDamagedError({ id, kind }: Pick<FileRow, 'id' | 'kind'>): ServiceError {
  const remedy = kind === 'file' ? 'Upload it again' : 'Import it again';
  return new ServiceError(
    'FILE_DAMAGED',
    `The ${kind} ${id} is damaged: its content is missing or was altered in the storage of the service. ${remedy}.`,
  );
}

/** Returns the error for a file or model that has expired or was deleted. */
export function fileExpiredError({ id, kind }: Pick<FileRow, 'id' | 'kind'>): ServiceError {
  return new ServiceError('FILE_EXPIRED', `The ${kind} ${id} has expired or was deleted. Upload and import it again.`);
}

/**
 * Returns the file or model with this id. Throws `FILE_UNKNOWN` or `MODEL_UNKNOWN` if `owner` has none of this kind
 * with this id, `FILE_EXPIRED` if it was deleted, and `FILE_DAMAGED` if its bytes were found to be damaged.
 */
export async function findInput(files: Files, id: string, owner: string, kind: FileRow['kind']): Promise<FileRow> {
  const file = await files.find(id.toLowerCase(), owner);
  const shown = id.slice(0, 80);
  if (file?.kind !== kind) {
    const [code, remedy] = NOT_FOUND_ERRORS[kind];
    throw new ServiceError(code, `No ${kind} with id ${shown}. ${remedy}`);
  }
  if (file.deleted_at !== null) throw fileExpiredError(file);
  if (file.damaged_at !== null) throw fileDamagedError(file);
  return file;
}
