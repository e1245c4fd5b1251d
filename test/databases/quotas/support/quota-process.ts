import { randomUUID } from 'node:crypto';
import type { BlobRecord } from '../../../../src/service/blobs/blob-record.js';
import { createObjectKey } from '../../../../src/service/blobs/s3/object-keys.js';
import type { ObjectRows } from '../../../../src/service/blobs/s3/object-rows.js';
import { SharedStorageQuota } from '../../../../src/service/blobs/shared-storage-quota.js';
import { LIMITS } from '../../../../src/service/defaults.js';
import { createLogger } from '../../../../src/service/logger.js';
import type { Store } from '../../../../src/service/store/database.js';
import { createFileRow } from '../../../../src/service/store/file-row.js';
import { createFiles, type Files } from '../../../../src/service/store/files.js';
import { createIdempotencyKeys } from '../../../../src/service/store/idempotency-keys.js';
import { createObjects } from '../../../../src/service/store/objects.js';
import { createOperations } from '../../../../src/service/store/operations.js';
import { createSpaceReservations, type SpaceLimits } from '../../../../src/service/store/shared/space-reservations.js';
import { createTokens } from '../../../../src/service/store/tokens.js';
import { createUsage } from '../../../../src/service/store/usage.js';
import { recordOf } from '../../../service/support/records.js';

/** The time of the database in these tests, in ms. */
export interface TestTime {
  now: number;
}

/** One of several processes with the same database. Its bucket is not there: only the rows of the objects are. */
export interface QuotaProcess {
  store: Store;
  quota: SharedStorageQuota;
  rows: ObjectRows;
  files: Files;
  /** Opens the object of an upload that is to be received. */
  openUpload(owner: string, bytes: number): Promise<Upload>;
  /** Stores a file at once that is `ageMs` old. Resolves with its id. */
  storeFile(owner: string, bytes: number, ageMs?: number): Promise<string>;
}

/** An upload that is received. */
export interface Upload {
  key: string;
  record: BlobRecord;
  /** Receives it up to this size. Discards its object and throws if it does not fit. */
  receive(size: number): Promise<void>;
  /** Adds its file. */
  store(ageMs?: number): Promise<void>;
}

/** Creates a process. */
export function createQuotaProcess(store: Store, time: TestTime, more: Partial<SpaceLimits> = {}): QuotaProcess {
  const limits = { quotaBytes: Number.POSITIVE_INFINITY, userQuotaBytes: Number.POSITIVE_INFINITY, ...more };
  const now = (): number => time.now;
  const rows = createObjects(store, now);
  const files = createFiles(store);
  const quota = new SharedStorageQuota({
    ...{ files, operations: createOperations(store), tokens: createTokens(store), keys: createIdempotencyKeys(store) },
    blobs: { remove: (ids) => rows.release(ids) },
    reservations: createSpaceReservations(store, limits, now),
    quotaBytes: limits.quotaBytes,
    usage: createUsage(store),
    ...{ limits: LIMITS, clock: { now }, now, logger: createLogger('silent') },
  });

  const openUpload = async (owner: string, bytes: number): Promise<Upload> => {
    const record = recordOf(randomUUID(), '', { owner, size: bytes });
    const key = createObjectKey(record.id);
    const reservation = await quota.open(owner, bytes);
    await rows.open(key, owner);
    return {
      ...{ key, record },
      async receive(size) {
        try {
          await reservation.grow(size, key);
        } catch (error) {
          await rows.discard(key);
          throw error;
        }
      },
      async store(ageMs = 0) {
        await files.add(createFileRow(record, time.now - ageMs, key));
        await reservation.release();
      },
    };
  };

  return {
    ...{ store, quota, rows, files, openUpload },
    async storeFile(owner, bytes, ageMs) {
      const upload = await openUpload(owner, bytes);
      await upload.receive(bytes);
      await upload.store(ageMs);
      return upload.record.id;
    },
  };
}
