import { isDiskFull } from '../service-error.js';
import type { BlobStore } from './blob-store.js';

/**
 * Marks a stored file as deleted with `mark`, and resolves with its result. The bytes are to be removed after that. On a
 * full disk they are removed first, since there may be no space for the mark until they are gone. Throws the error of
 * `mark`.
 */
export async function markDeleted<T>(id: string, mark: () => Promise<T>, blobs: Pick<BlobStore, 'remove'>): Promise<T> {
  try {
    return await mark();
  } catch (error) {
    if (!isDiskFull(error)) throw error;
  }
  await blobs.remove([id]);
  return mark();
}
