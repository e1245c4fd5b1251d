import { randomUUID } from 'node:crypto';
import { access, writeFile } from 'node:fs/promises';
import path from 'node:path';
import should from 'should';
import { type BlobStore, openBlobStore } from '../../../src/service/blobs/blob-store.js';
import { StorageQuota, type StorageQuotaDependencies } from '../../../src/service/blobs/storage-quota.js';
import { LIMITS, MIN_FREE_DISK_BYTES } from '../../../src/service/defaults.js';
import { createLogger } from '../../../src/service/logger.js';
import { openStore, type Store } from '../../../src/service/store/database.js';
import { createFiles } from '../../../src/service/store/files.js';
import { createOperations } from '../../../src/service/store/operations.js';
import type { OperationRow } from '../../../src/service/store/schema.js';
import { createTokens } from '../../../src/service/store/tokens.js';
import { createFolder, removeFolder } from '../support/data-folder.js';

const HOUR = 3_600_000;
const NOW = 1000 * HOUR;
const GIB = 1024 ** 3;

function operationOn(inputId: string, state: OperationRow['state']): OperationRow {
  return {
    ...{ id: randomUUID(), owner: 'me', kind: 'repair', state, input_id: inputId, output_id: null, filename: 'a.stl' },
    ...{ parameters: '{}', is_successful: null, result: null, report: null, error: null, attempts: 0, progress: null },
    ...{ created_at: NOW, started_at: null, finished_at: null, callback_url: null, callback_state: 'none' },
    ...{ callback_attempts: 0, callback_next_at: null, input_hash: null, kernel: null },
  };
}

describe('what keeps the disk from filling', () => {
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

  const retention = (more: Partial<StorageQuotaDependencies> = {}): StorageQuota =>
    new StorageQuota({
      ...{ files: createFiles(store), operations: createOperations(store), tokens: createTokens(store), blobs, folder },
      ...{ limits: LIMITS, now: () => NOW, logger: createLogger('silent'), freeSpace: async () => 1000 * GIB },
      ...more,
    });

  /** A file of 100 bytes that was made and last read so many hours ago. */
  const held = async (madeAgo: number, readAgo = madeAgo): Promise<string> => {
    const id = randomUUID();
    await writeFile(blobs.temporaryPath(id), 'x'.repeat(100));
    const size = await blobs.commit(id);
    const times = { created_at: NOW - madeAgo * HOUR, read_at: NOW - readAgo * HOUR, deleted_at: null };
    const kind = { owner: 'me', kind: 'file' as const, filename: 'a.stl', media_type: 'model/stl' };
    await createFiles(store).add({ id, size, ...kind, ...times });
    return id;
  };

  const isThere = (id: string): Promise<boolean> =>
    access(blobs.pathOf(id)).then(
      () => true,
      () => false,
    );

  it('never promises the same room twice, and has it again when it was given free, once', async () => {
    const keeper = retention({ quotaBytes: 1000 });
    const [giveFree] = await Promise.all([keeper.reserve(600), keeper.reserve(300)]);
    await keeper.reserve(200).should.be.rejectedWith({ code: 'QUOTA_FULL', message: /--disk-quota/ });
    giveFree();
    giveFree();
    await keeper.reserve(700);
    await keeper.reserve(1).should.be.rejectedWith({ code: 'QUOTA_FULL' });
  });

  it('deletes the oldest files first, and only as many as it must', async () => {
    const [newer, oldest, older] = [await held(10), await held(30), await held(20)];
    await retention({ quotaBytes: 300 }).reserve(150);
    should(await Promise.all([oldest, older, newer].map(isThere))).deepEqual([false, false, true]);
  });

  it('deletes nothing that was made or read in the last hour, however full it is', async () => {
    const [created, read] = [await held(0.9), await held(30, 0.5)];
    await retention({ quotaBytes: 200 }).reserve(1).should.be.rejectedWith({ code: 'QUOTA_FULL' });
    await retention().purgeExpired();
    should(await Promise.all([created, read].map(isThere))).deepEqual([true, true]);
  });

  for (const state of ['queued', 'running', 'completed'] as const) {
    const isKept = state !== 'completed';
    it(`${isKept ? 'keeps' : 'deletes'} an old file that ${state === 'completed' ? 'no unfinished' : `a ${state}`} operation needs`, async () => {
      const id = await held(24 * 8);
      await createOperations(store).add(operationOn(id, state));
      await retention().purgeExpired();
      should(await isThere(id)).equal(isKept);
    });
  }

  it('clears what is older than it is to be kept', async () => {
    const [old, young] = [await held(24 * 7 + 1), await held(24 * 7 - 1)];
    await retention().purgeExpired();
    should(await Promise.all([old, young].map(isThere))).deepEqual([false, true]);
    should(await createFiles(store).totalBytes()).equal(100);
  });

  it('forgets records of what it deleted when nobody can ask for them any more', async () => {
    const id = await held(24 * 8);
    await retention().purgeExpired();
    should((await createFiles(store).find(id, 'me'))?.deleted_at).equal(NOW);
    await retention({ now: () => NOW + LIMITS.recordRetentionMs + 1 }).purgeExpired();
    should(await createFiles(store).find(id, 'me')).equal(undefined);
  });

  it('takes a fifth of free and held space, and never more than 20 GiB', async () => {
    const small = retention({ freeSpace: async () => 100 * GIB });
    await small.reserve(20 * GIB);
    await small.reserve(1).should.be.rejectedWith({ code: 'QUOTA_FULL' });
    const tiny = retention({ freeSpace: async () => 10 * GIB });
    await tiny.reserve(2 * GIB + 1).should.be.rejectedWith({ code: 'QUOTA_FULL' });
    await tiny.reserve(2 * GIB);
    await retention()
      .reserve(20 * GIB + 1)
      .should.be.rejectedWith({ code: 'QUOTA_FULL' });
  });

  it('leaves room for its own records on the disk', async () => {
    const free = MIN_FREE_DISK_BYTES + 1000;
    const keeper = retention({ quotaBytes: GIB, freeSpace: async () => free });
    await keeper.reserve(900);
    await keeper.reserve(101).should.be.rejectedWith({ code: 'DISK_FULL' });
    await keeper.reserve(100);
  });
});
