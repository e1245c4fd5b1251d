import { isDeepStrictEqual } from 'node:util';
import type { BlobStore } from '../blobs/blob-store.js';
import type { BlobDigest } from '../blobs/digest.js';
import { createRecord } from '../store/file-row.js';
import type { Files } from '../store/files.js';
import type { FileRow } from '../store/schema.js';

/**
 * Writes the record of a stored file again, unless it says the same as its row and this digest. The operation and the
 * idempotency key, which the row does not have, are those of the old record. Resolves with whether it wrote the record,
 * or with `deleted` if the file was deleted meanwhile: nothing is left of it then.
 */
export async function rebuildRecord(
  file: FileRow,
  digest: BlobDigest,
  { blobs, files }: { blobs: BlobStore; files: Pick<Files, 'findStored'> },
): Promise<boolean | 'deleted'> {
  const { id } = file;
  const existing = await blobs.readRecord(id);
  const record = {
    ...createRecord(file, digest),
    operationId: existing?.operationId ?? null,
    ...(existing?.request && { request: existing.request }),
  };
  if (isDeepStrictEqual(existing, record)) return false;
  await blobs.writeRecord(record);
  if (await files.findStored(id)) return true;
  await blobs.remove([id]); // the deletion may have been complete before the record was written
  return 'deleted';
}
