import { ServiceError } from '../service-error.js';
import type { Files } from '../store/files.js';
import type { FileRow } from '../store/schema.js';

const NOT_FOUND_ERRORS = {
  file: ['FILE_UNKNOWN', 'an uploaded or exported file'],
  model: ['MODEL_UNKNOWN', 'a model: take the resultId of an import or a repair'],
} as const;

/** The user's file or model of this id. Throws where there is none, it is the other kind, somebody else's, or expired. */
export async function findInput(files: Files, id: string, owner: string, kind: FileRow['kind']): Promise<FileRow> {
  const file = await files.find(id.toLowerCase(), owner);
  const shown = id.slice(0, 80);
  if (file?.kind !== kind) {
    const [code, what] = NOT_FOUND_ERRORS[kind];
    throw new ServiceError(code, `${shown} is not the id of ${what}`);
  }
  if (file.deleted_at !== null) {
    throw new ServiceError('FILE_EXPIRED', `the ${kind} ${shown} expired and was deleted: upload and import again`);
  }
  return file;
}
