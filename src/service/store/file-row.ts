import type { BlobRecord } from '../blobs/blob-record.js';
import type { BlobKey } from '../blobs/blob-store.js';
import type { BlobDigest } from '../blobs/digest.js';
import { type KeyClaim, UPLOAD_ROUTE } from './idempotency-keys.js';
import type { FileRow, NewFileRow } from './schema.js';

/**
 * Returns the row of a stored file with this record. `retainedFrom`: the time of the retention clock. `blobKey`: as the
 * blob store returned it.
 */
export function createFileRow(
  { mediaType, createdAt, ...record }: BlobRecord,
  retainedFrom: number,
  blobKey: BlobKey = null,
): NewFileRow {
  const { id, owner, kind, filename, size, sha256, blockCrcs } = record;
  return {
    ...{ id, owner, kind, filename, media_type: mediaType, size, sha256, block_crcs: blockCrcs },
    created_at: createdAt,
    retained_from: retainedFrom,
    read_at: retainedFrom,
    damaged_at: null,
    deleted_at: null,
    ...(blobKey !== null && { blob_key: blobKey }),
  };
}

/**
 * Returns the claim of the idempotency key of a recorded upload, `undefined` if it has none. `now`: the time of the
 * retention clock, from which on the key is kept.
 */
export function findClaim({ owner, request }: BlobRecord, now: number): KeyClaim | undefined {
  return request && { owner, route: UPLOAD_ROUTE, ...request, created_at: now, expiredBefore: 0 };
}

/** Returns the record of a stored file with this row. Its operation is not known. */
export function createRecord(row: FileRow, { size, sha256, blockCrcs }: BlobDigest): BlobRecord {
  const { id, owner, kind, filename, media_type: mediaType, created_at: createdAt } = row;
  return { id, owner, kind, filename, mediaType, createdAt, operationId: null, size, sha256, blockCrcs };
}

/** Returns the digest of a stored file; `undefined` for one of an earlier version whose bytes were not read yet. */
export function findDigest({ size, sha256, block_crcs: blockCrcs }: FileRow): BlobDigest | undefined {
  return sha256 === null || blockCrcs === null ? undefined : { size, sha256, blockCrcs };
}
