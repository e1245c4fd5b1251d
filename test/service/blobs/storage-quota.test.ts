import { randomUUID } from 'node:crypto';
import { access, writeFile } from 'node:fs/promises';
import path from 'node:path';
import should from 'should';
import { type BlobStore, openBlobStore } from '../../../src/service/blobs/blob-store.js';
import { StorageQuota, type StorageQuotaDependencies } from '../../../src/service/blobs/storage-quota.js';
import { LIMITS, MIN_FREE_DISK_BYTES } from '../../../src/service/defaults.js';
import { createLogger } from '../../../src/service/logger.js';
import { openStore, type Store } from '../../../src/service/store/database.js';
import { createFileRow } from '../../../src/service/store/file-row.js';
import { createFiles } from '../../../src/service/store/files.js';
import { createIdempotencyKeys } from '../../../src/service/store/idempotency-keys.js';
import { createOperations } from '../../../src/service/store/operations.js';
import type { OperationRow } from '../../../src/service/store/schema.js';
import { createTokens } from '../../../src/service/store/tokens.js';
import { createFolder, removeFolder } from '../support/data-folder.js';
import { recordOf } from '../support/records.js';

const HOUR = 3_600_000;
const NOW = 1000 * HOUR;
const GIB = 1024 ** 3;

function operationOn(inputId: string, state: OperationRow['state']): OperationRow {
  return {
    ...{ id: randomUUID(), owner: 'me', kind: 'repair', state, input_id: inputId, output_id: null, filename: 'a.stl' },
    ...{ parameters: '{}', is_successful: null, result: null, report: null, error: null, attempts: 0, progress: null },
    ...{
      created_at: NOW,
      started_at: null,
      finished_at: null,
      retained_from: null,
      callback_url: null,
      callback_state: 'none',
    },
    ...{ callback_attempts: 0, callback_next_at: null, input_hash: null, kernel: null, priority: 'normal', tag: 0 },
  };
}

describe('StorageQuota', () => {
  let folder: string;
  let store: Store;
  let blobs: BlobStore;

  beforeEach(async () => {
    folder = await createFolder();
    store = await openStore(path.join(folder, 'service.db'));
    blobs = await openBlobStore(folder);
  });

  afterEach(async () => {
    await store.destroy();
    await removeFolder(folder);
  });

  const createQuota = (more: Partial<StorageQuotaDependencies> = {}): StorageQuota =>
    new StorageQuota({
      ...{ files: createFiles(store), operations: createOperations(store), tokens: createTokens(store), blobs, folder },
      ...{
        keys: createIdempotencyKeys(store),
        limits: LIMITS,
        now: () => NOW,
        clock: { now: () => NOW },
        logger: createLogger('silent'),
        spare: { missingBytes: () => 0 },
        freeSpace: async () => 1000 * GIB,
      },
      ...more,
    });

  /** Stores a file of 100 bytes with the given ages since its creation and its last read, in hours. */
  const storeFile = async (createdHoursAgo: number, readHoursAgo = createdHoursAgo): Promise<string> => {
    const id = randomUUID();
    const record = recordOf(id, 'x'.repeat(100));
    await writeFile(blobs.temporaryPath(id), 'x'.repeat(100));
    await blobs.commit(record);
    const retained_from = NOW - createdHoursAgo * HOUR;
    const read_at = NOW - readHoursAgo * HOUR;
    await createFiles(store).add({ ...createFileRow(record, retained_from), read_at });
    return id;
  };

  const exists = (id: string): Promise<boolean> =>
    access(blobs.pathOf(id)).then(
      () => true,
      () => false,
    );

  it('never reserves the same space twice, and releases a reservation only once', async () => {
    const quota = createQuota({ quotaBytes: 1000 });
    const [release] = await Promise.all([quota.reserve(600), quota.reserve(300)]);
    await quota.reserve(200).should.be.rejectedWith({ code: 'QUOTA_FULL', message: /--disk-quota/ });
    release();
    release();
    await quota.reserve(700);
    await quota.reserve(1).should.be.rejectedWith({ code: 'QUOTA_FULL' });
  });

  it('evicts the oldest files first, and only as many as needed', async () => {
    const [newer, oldest, older] = [await storeFile(10), await storeFile(30), await storeFile(20)];
    await createQuota({ quotaBytes: 300 }).reserve(150);
    should(await Promise.all([oldest, older, newer].map(exists))).deepEqual([false, false, true]);
  });

  it('evicts no file that was created or read in the last hour', async () => {
    const [created, read] = [await storeFile(0.9), await storeFile(30, 0.5)];
    await createQuota({ quotaBytes: 200 }).reserve(1).should.be.rejectedWith({ code: 'QUOTA_FULL' });
    await createQuota().purgeExpired();
    should(await Promise.all([created, read].map(exists))).deepEqual([true, true]);
  });

  for (const state of ['queued', 'running', 'completed'] as const) {
    const isKept = state !== 'completed';
    it(`${isKept ? 'keeps' : 'deletes'} an old file that ${state === 'completed' ? 'no unfinished' : `a ${state}`} operation needs`, async () => {
      const id = await storeFile(24 * 8);
      await store.insertInto('operation').values(operationOn(id, state)).execute();
      await createQuota().purgeExpired();
      should(await exists(id)).equal(isKept);
    });
  }

  it('deletes files after their retention time', async () => {
    const [old, young] = [await storeFile(24 * 7 + 1), await storeFile(24 * 7 - 1)];
    await createQuota().purgeExpired();
    should(await Promise.all([old, young].map(exists))).deepEqual([false, true]);
    should(await createFiles(store).totalBytes()).equal(100);
  });

  it('deletes the records of deleted files after their retention time', async () => {
    const id = await storeFile(24 * 8);
    await createQuota().purgeExpired();
    should((await createFiles(store).find(id, 'me'))?.deleted_at).equal(NOW);
    await createQuota({ clock: { now: () => NOW + LIMITS.recordRetentionMs + 1 } }).purgeExpired();
    should(await createFiles(store).find(id, 'me')).equal(undefined);
  });

  it('defaults to 20 % of free and used space, at most 20 GiB', async () => {
    const small = createQuota({ freeSpace: async () => 100 * GIB });
    await small.reserve(20 * GIB);
    await small.reserve(1).should.be.rejectedWith({ code: 'QUOTA_FULL' });
    const tiny = createQuota({ freeSpace: async () => 10 * GIB });
    await tiny.reserve(2 * GIB + 1).should.be.rejectedWith({ code: 'QUOTA_FULL' });
    await tiny.reserve(2 * GIB);
    await createQuota()
      .reserve(20 * GIB + 1)
      .should.be.rejectedWith({ code: 'QUOTA_FULL' });
  });

  it('keeps disk space free for the database', async () => {
    const free = MIN_FREE_DISK_BYTES + 1000;
    const quota = createQuota({ quotaBytes: GIB, freeSpace: async () => free });
    await quota.reserve(900);
    await quota.reserve(101).should.be.rejectedWith({ code: 'DISK_FULL' });
    await quota.reserve(100);
  });
});
