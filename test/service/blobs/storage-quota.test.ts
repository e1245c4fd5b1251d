import { randomUUID } from 'node:crypto';
import { access, writeFile } from 'node:fs/promises';
import should from 'should';
import type { BlobFolder } from '../../../src/service/blobs/blob-folder.js';
import { StorageQuota, type StorageQuotaDependencies } from '../../../src/service/blobs/storage-quota.js';
import { LIMITS, MIN_FREE_DISK_BYTES } from '../../../src/service/defaults.js';
import { createLogger } from '../../../src/service/logger.js';
import type { Store } from '../../../src/service/store/database.js';
import { createFileRow } from '../../../src/service/store/file-row.js';
import { createFiles } from '../../../src/service/store/files.js';
import { createIdempotencyKeys } from '../../../src/service/store/idempotency-keys.js';
import { createOperations } from '../../../src/service/store/operations.js';
import type { OperationRow } from '../../../src/service/store/schema.js';
import { createTokens } from '../../../src/service/store/tokens.js';
import { createUsage } from '../../../src/service/store/usage.js';
import { registerFileBench } from '../support/file-bench.js';
import { queuedOperation } from '../support/queued-operation.js';
import { recordOf } from '../support/records.js';

const HOUR = 3_600_000;
const NOW = 1000 * HOUR;
const MIB = 1024 ** 2;
const GIB = 1024 ** 3;

function operationOn(inputId: string, state: OperationRow['state']): OperationRow {
  return queuedOperation({ owner: 'me', kind: 'repair', state, input_id: inputId, output_id: null, created_at: NOW });
}

describe('StorageQuota', () => {
  let folder: string;
  let store: Store;
  let blobs: BlobFolder;

  registerFileBench((bench) => ({ folder, store, blobs } = bench));

  const createQuota = (more: Partial<StorageQuotaDependencies> = {}): StorageQuota =>
    new StorageQuota({
      ...{ files: createFiles(store), operations: createOperations(store), tokens: createTokens(store), blobs, folder },
      ...{
        keys: createIdempotencyKeys(store),
        usage: createUsage(store),
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
  const storeFile = async (
    createdHoursAgo: number,
    readHoursAgo = createdHoursAgo,
    owner = 'me',
    size = 100,
  ): Promise<string> => {
    const id = randomUUID();
    const record = recordOf(id, 'x'.repeat(size), { owner });
    const scratch = blobs.scratchPath();
    await writeFile(scratch, 'x'.repeat(size));
    await blobs.fromScratch(scratch, record);
    const retained_from = NOW - createdHoursAgo * HOUR;
    const read_at = NOW - readHoursAgo * HOUR;
    await createFiles(store).add({ ...createFileRow(record, retained_from), read_at });
    return id;
  };

  /** Stores old files of 100 bytes. */
  const storeFiles = async (owner: string, count: number, hoursAgo = 10): Promise<string[]> => {
    const ids: string[] = [];
    for (let index = 0; index < count; index++) ids.push(await storeFile(hoursAgo + count - index, undefined, owner));
    return ids;
  };

  const countStored = async (ids: string[]): Promise<number> =>
    (await Promise.all(ids.map(exists))).filter(Boolean).length;

  const exists = (id: string): Promise<boolean> =>
    access(blobs.pathOf(id)).then(
      () => true,
      () => false,
    );

  it('never reserves the same space twice, and releases a reservation only once', async () => {
    const quota = createQuota({ quotaBytes: 1000 });
    const [first] = await Promise.all([quota.reserve('me', 600), quota.reserve('you', 300)]);
    await quota.reserve('me', 200).should.be.rejectedWith({ code: 'QUOTA_FULL', message: /--disk-quota/ });
    first.release();
    first.release();
    await quota.reserve('you', 700);
    await quota.reserve('me', 1).should.be.rejectedWith({ code: 'QUOTA_FULL' });
  });

  it('counts a file that is stored while the stored bytes are read', async () => {
    const usage = createUsage(store);
    let afterRead = async (): Promise<void> => undefined;
    const summarize: typeof usage.summarize = async (owner) => {
      const summary = await usage.summarize(owner);
      await afterRead();
      return summary;
    };
    const quota = createQuota({ quotaBytes: 1000, usage: { ...usage, summarize } });
    const yours = await quota.reserve('you', 600);
    afterRead = async () => {
      await storeFile(0, 0, 'you', 600);
      yours.release();
      afterRead = async () => undefined;
    };
    await quota.reserve('me', 600).should.be.rejectedWith({ code: 'QUOTA_FULL' });
    await quota.reserve('me', 400);
  });

  it('evicts the oldest files first, and only as many as needed', async () => {
    const [newer, oldest, older] = [await storeFile(10), await storeFile(30), await storeFile(20)];
    await createQuota({ quotaBytes: 300 }).reserve('me', 150);
    should(await Promise.all([oldest, older, newer].map(exists))).deepEqual([false, false, true]);
  });

  it('evicts nothing if that would free too little', async () => {
    const [old] = [await storeFile(10), await storeFile(0.5)];
    const quota = createQuota({ quotaBytes: 200 });
    await quota.reserve('me', 150).should.be.rejectedWith({ code: 'QUOTA_FULL' });
    await quota.open('me', 150).should.be.rejectedWith({ code: 'QUOTA_FULL' });
    should(await exists(old)).be.true();
  });

  it('evicts no file that was created or read in the last hour', async () => {
    const [created, read] = [await storeFile(0.9), await storeFile(30, 0.5)];
    await createQuota({ quotaBytes: 200 }).reserve('me', 1).should.be.rejectedWith({ code: 'QUOTA_FULL' });
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
    const open = (freeGib: number, bytes: number) =>
      createQuota({ freeSpace: async () => freeGib * GIB }).open('me', bytes);
    await open(100, 20 * GIB);
    await open(100, 20 * GIB + 1).should.be.rejectedWith({ code: 'QUOTA_FULL' });
    await open(10, 2 * GIB);
    await open(10, 2 * GIB + 1).should.be.rejectedWith({ code: 'QUOTA_FULL' });
    await open(1000, 20 * GIB + 1).should.be.rejectedWith({ code: 'QUOTA_FULL' });
  });

  it('keeps disk space free for the database', async () => {
    let free = MIN_FREE_DISK_BYTES + 100 * MIB;
    const quota = createQuota({ quotaBytes: GIB, freeSpace: async () => free });
    await quota.open('me', 100 * MIB + 1).should.be.rejectedWith({ code: 'DISK_FULL' });
    const upload = await quota.open('me', 100 * MIB);
    await upload.grow(50 * MIB);
    free -= 50 * MIB;
    await quota.open('you', 34 * MIB + 1).should.be.rejectedWith({ code: 'DISK_FULL' });
    await quota.open('you', 34 * MIB);
    await upload.grow(100 * MIB);
    free -= 51 * MIB;
    await quota.reserve('you', 1).should.be.rejectedWith({ code: 'DISK_FULL' });
  });

  describe('while the bytes of an upload arrive', () => {
    it('evicts nothing for an announced length', async () => {
      const ids = await storeFiles('me', 8);
      const quota = createQuota({ quotaBytes: 1000 });
      await quota.open('you', 500);
      await quota.open('you', 500);
      should(await countStored(ids)).equal(8);
      await (await quota.open('me', 200)).grow(200);
      should(await countStored(ids)).equal(8);
    });

    it('refuses at once what would not fit beside the files of others within an equal share', async () => {
      const ids = await storeFiles('me', 8);
      await createQuota({ quotaBytes: 1000 }).open('you', 501).should.be.rejectedWith({ code: 'QUOTA_FULL' });
      should(await countStored(ids)).equal(8);
    });

    it('evicts at most as many bytes again as have arrived', async () => {
      const ids = await storeFiles('me', 10);
      const upload = await createQuota({ quotaBytes: 1000 }).open('me', 1000);
      const counts: number[] = [];
      for (const size of [0, 50, 100, 101, 200, 1000]) {
        await upload.grow(size);
        counts.push(await countStored(ids));
      }
      counts.should.deepEqual([10, 9, 9, 7, 7, 0]);
    });

    it('withdraws space that was granted to another upload before its bytes arrived', async () => {
      const quota = createQuota({ quotaBytes: 1000 });
      const first = await quota.open('me', 600);
      const second = await quota.open('you', 600);
      await second.grow(600);
      await first.grow(400).should.be.rejectedWith({ code: 'QUOTA_FULL' }); // 600 were announced
      first.release();
      await quota.reserve('me', 400);
    });

    it('withdraws it also for an output', async () => {
      const quota = createQuota({ quotaBytes: 1000 });
      const upload = await quota.open('you', 600);
      await upload.grow(50);
      await quota.reserve('me', 850);
      await upload.grow(100); // twice what had arrived lasts
      await upload.grow(151).should.be.rejectedWith({ code: 'QUOTA_FULL' });
    });

    it('withdraws it also for an output that the quota of its owner limits', async () => {
      const quota = createQuota({ quotaBytes: 10_000, userQuotaBytes: 1000 });
      const [mine, yours] = [await quota.open('me', 600), await quota.open('you', 600)];
      await mine.grow(50);
      await quota.reserve('me', 850);
      await mine.grow(151).should.be.rejectedWith({ code: 'USER_QUOTA_FULL' });
      await yours.grow(600);
    });

    it('never grants more than the disk has to uploads and outputs at the same time', async () => {
      let written = 0;
      const freeSpace = async (): Promise<number> => MIN_FREE_DISK_BYTES + 100 * MIB - written;
      const quota = createQuota({ quotaBytes: GIB, freeSpace });
      const owners = Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? 'me' : 'you'));
      const uploads = await Promise.all(owners.map((owner) => quota.open(owner, 16 * MIB)));
      const refused = new Set<unknown>();
      for (let size = MIB; size <= 16 * MIB; size += MIB) {
        for (const upload of uploads) {
          if (refused.has(upload)) continue;
          await upload.grow(size).then(
            () => {
              written += MIB;
            },
            (error: unknown) => {
              should(error).have.property('code', 'DISK_FULL');
              refused.add(upload);
            },
          );
        }
        if (size === MIB) (await quota.reserve('me', 10 * MIB)).release(); // its bytes are on the disk already
      }
      written.should.be.within(60 * MIB, 100 * MIB);
    });

    it('never grants more than the quota to uploads at the same time', async () => {
      const quota = createQuota({ quotaBytes: 100 * MIB });
      const uploads = await Promise.all(['me', 'you', 'me', 'you'].map((owner) => quota.open(owner, 60 * MIB)));
      const sizes = uploads.map(() => 0);
      const receive = async (index: number): Promise<void> => {
        for (let size = MIB; size <= 60 * MIB; size += MIB) {
          await uploads[index]?.grow(size);
          sizes[index] = size;
        }
      };
      const outcomes = await Promise.allSettled(uploads.map((_, index) => receive(index)));
      should(outcomes.some(({ status }) => status === 'rejected')).be.true();
      should(sizes.reduce((sum, size) => sum + size)).be.within(60 * MIB, 100 * MIB);
    });

    it('keeps checking an upload that is longer than announced', async () => {
      const upload = await createQuota({ quotaBytes: 100 }).open('me', 10);
      await upload.grow(100);
      await upload.grow(101).should.be.rejectedWith({ code: 'QUOTA_FULL' });
    });
  });

  describe('with several users', () => {
    it('evicts files of the user above an equal share, for one within it', async () => {
      const [mine, yours] = [await storeFiles('me', 8, 10), await storeFiles('you', 2, 100)];
      await createQuota({ quotaBytes: 1000 }).reserve('you', 300);
      should([await countStored(mine), await countStored(yours)]).deepEqual([5, 2]);
    });

    it('evicts own files of a user above an equal share, however old those of others are', async () => {
      const [mine, yours] = [await storeFiles('me', 6, 10), await storeFiles('you', 4, 100)];
      await createQuota({ quotaBytes: 1000 }).reserve('me', 300);
      should([await countStored(mine), await countStored(yours)]).deepEqual([3, 4]);
    });

    it('refuses a user above an equal share whose files are recent, rather than evict those of others', async () => {
      const [mine, yours] = [await storeFiles('me', 6, 0), await storeFiles('you', 4, 100)];
      const quota = createQuota({ quotaBytes: 1000, clock: { now: () => NOW } });
      await store.updateTable('file').set({ read_at: NOW }).where('owner', '=', 'me').execute();
      await quota.reserve('me', 1).should.be.rejectedWith({ code: 'QUOTA_FULL' });
      should([await countStored(mine), await countStored(yours)]).deepEqual([6, 4]);
    });

    it('evicts own files of a user within the share if those of the user above it are recent', async () => {
      const [mine, yours] = [await storeFiles('me', 7, 10), await storeFiles('you', 3, 10)];
      await store.updateTable('file').set({ read_at: NOW }).where('owner', '=', 'me').execute();
      await createQuota({ quotaBytes: 1000 }).reserve('you', 200);
      should([await countStored(mine), await countStored(yours)]).deepEqual([7, 1]);
    });

    it('never evicts the input of an unfinished operation', async () => {
      const mine = await storeFiles('me', 10);
      await createOperations(store).add(operationOn(mine[0] ?? '', 'queued'));
      await createQuota({ quotaBytes: 1000 }).reserve('you', 200);
      should(await Promise.all(mine.slice(0, 4).map(exists))).deepEqual([true, false, false, true]);
    });
  });

  describe('with a quota of a user', () => {
    const quotaOf = async (owner: string, quotaBytes: number): Promise<void> => {
      const user = { id: owner, username: owner, password_hash: '', created_at: 0, quota_bytes: quotaBytes };
      await store.insertInto('user').values(user).execute();
    };

    it('evicts only files of this user, and refuses what does not fit after that', async () => {
      const [mine, yours] = [await storeFiles('me', 4, 10), await storeFiles('you', 4, 100)];
      const quota = createQuota({ quotaBytes: 10_000, userQuotaBytes: 500 });
      await quota.open('me', 501).should.be.rejectedWith({ code: 'USER_QUOTA_FULL', message: /--user-quota/ });
      should(await countStored(mine)).equal(4);
      const reservation = await quota.reserve('me', 300);
      should([await countStored(mine), await countStored(yours)]).deepEqual([2, 4]);
      await quota.reserve('me', 201).should.be.rejectedWith({ code: 'USER_QUOTA_FULL' });
      reservation.release();
      await quota.open('me', 500);
    });

    it('prefers the quota of a single user to that of all', async () => {
      await quotaOf('me', 1000);
      const quota = createQuota({ quotaBytes: 10_000, userQuotaBytes: 500 });
      await quota.open('me', 1000);
      await quota.open('me', 1001).should.be.rejectedWith({ code: 'USER_QUOTA_FULL' });
      await quota.open('you', 501).should.be.rejectedWith({ code: 'USER_QUOTA_FULL' });
    });

    it('counts uploads of this user that are in progress', async () => {
      const quota = createQuota({ quotaBytes: 10_000, userQuotaBytes: 500 });
      await (await quota.open('me', 300)).grow(300);
      await quota.open('me', 201).should.be.rejectedWith({ code: 'USER_QUOTA_FULL' });
      await quota.open('you', 500);
    });

    it('evicts for both quotas if both are exceeded', async () => {
      const [mine, yours] = [await storeFiles('me', 4, 10), await storeFiles('you', 8, 100)];
      await createQuota({ quotaBytes: 1200, userQuotaBytes: 600 }).reserve('me', 300);
      should([await countStored(mine), await countStored(yours)]).deepEqual([3, 6]);
    });
  });
});
