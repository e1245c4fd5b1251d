import { randomUUID } from 'node:crypto';
import { access, readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import should from 'should';
import type { BlobFolder } from '../../../src/service/blobs/blob-folder.js';
import { reconcileBlobs } from '../../../src/service/integrity/reconcile-blobs.js';
import { createLogger } from '../../../src/service/logger.js';
import type { Store } from '../../../src/service/store/database.js';
import { createFileRow, findClaim } from '../../../src/service/store/file-row.js';
import type { Files } from '../../../src/service/store/files.js';
import { createIdempotencyKeys } from '../../../src/service/store/idempotency-keys.js';
import type { OperationRow } from '../../../src/service/store/schema.js';
import { registerFileBench } from '../support/file-bench.js';
import { recordOf } from '../support/records.js';

describe('reconcileBlobs', () => {
  let folder: string;
  let store: Store;
  let files: Files;
  let blobs: BlobFolder;
  let lines: { level: string; count?: number; deletedCount?: number }[];
  const bench = registerFileBench((opened) => ({ folder, store, files, blobs } = opened));

  beforeEach(() => {
    lines = [];
  });

  const storeBlob = (): Promise<string> => bench.storeBlob('bytes');
  const storeFile = (): Promise<string> => bench.storeFile('bytes');

  const removeRecord = (id: string): Promise<void> => rm(`${blobs.pathOf(id)}.json`);

  const exists = (id: string): Promise<boolean> =>
    access(blobs.pathOf(id)).then(
      () => true,
      () => false,
    );

  const reconcile = (outputs: [string, OperationRow['state']][] = []): Promise<string[]> =>
    reconcileBlobs({
      blobs,
      files,
      keys: createIdempotencyKeys(store),
      operations: { unusedOutputIds: async () => new Map(outputs) },
      clock: { now: () => 7 },
      now: () => 8,
      logger: createLogger('info', { write: (line) => lines.push(JSON.parse(line)) }),
    });

  it('keeps stored files and outputs of unfinished operations, and logs nothing', async () => {
    const [stored, queued, running] = [await storeFile(), await storeBlob(), await storeBlob()];
    const unrecorded = await reconcile([
      [queued, 'queued'],
      [running, 'running'],
    ]);
    should(await Promise.all([stored, queued, running].map(exists))).deepEqual([true, true, true]);
    should(unrecorded).be.empty();
    should(lines).be.empty();
  });

  it('restores the row of an upload with its key, unless another file has the key', async () => {
    const request = { key: 'a', fingerprint: 'f' };
    const ids = [await bench.storeBlob('bytes', { request }), await bench.storeBlob('bytes', { request })];
    await reconcile();
    should(await files.storedIds()).deepEqual(new Set(ids));
    const keys = await store.selectFrom('idempotency_key').selectAll().execute();
    should(keys).have.length(1);
    should(keys[0]).match({ owner: 'me', route: 'file', ...request, created_at: 7 });
    should(ids).containEql(keys[0]?.resource_id);
  });

  describe('finds an upload without a row whose key another file has, and', () => {
    const request = { key: 'a', fingerprint: 'f' };
    let first: string;

    beforeEach(async () => {
      first = await bench.storeBlob('bytes', { request });
      const record = recordOf(first, 'bytes', { request });
      await files.add(createFileRow(record, 3), findClaim(record, 3));
    });

    it('deletes it if the other file has the same content: it was a repetition', async () => {
      const repeated = await bench.storeBlob('bytes', { request });
      await reconcile();
      should(await files.find(repeated, 'me')).equal(undefined);
      should(await blobs.listIds()).deepEqual({ blobs: new Set([first]), records: new Set([first]) });
      should(lines).match([{ level: 'info', deletedCount: 1 }]);
    });

    it('restores it if the other file has other content, is missing or belongs to another user', async () => {
      const others = [
        await bench.storeBlob('other', { request: { ...request, fingerprint: 'g' } }),
        await bench.storeBlob('bytes', { request, owner: 'another' }),
      ];
      await reconcile();
      should(await files.storedIds()).deepEqual(new Set([first, ...others]));
      const repeated = await bench.storeBlob('bytes', { request });
      await rm(blobs.pathOf(first));
      await reconcile();
      should(await files.find(repeated, 'me')).match({ deleted_at: null, damaged_at: null });
    });

    it('restores it if it was lost before: its id is known', async () => {
      const lost = await bench.storeFile('bytes', { request });
      await files.markLost(lost, 5, 5);
      await reconcile();
      should(await files.find(lost, 'me')).match({ deleted_at: null });
    });
  });

  it('deletes temporary files, blobs of deleted files, outputs of failed operations and records without a blob', async () => {
    const [deleted, failed, unfinished] = [await storeFile(), await storeBlob(), await storeBlob()];
    await files.setDeleted(deleted, 5);
    await rm(blobs.pathOf(unfinished));
    await writeFile(blobs.scratchPath(), 'part');
    await writeFile(path.join(folder, 'temp', `${randomUUID()}.json.part`), 'part');
    await reconcile([[failed, 'completed']]);
    should(await blobs.listIds()).deepEqual({ blobs: new Set(), records: new Set() });
    should(await readdir(path.join(folder, 'temp'))).be.empty();
    should(await readdir(folder)).not.containEql('quarantine');
    should(lines).match([{ level: 'info', deletedCount: 5 }]);
  });

  it('restores the rows of blobs with a sound record, with one warning', async () => {
    const ids = [await storeBlob(), await storeBlob()];
    await reconcile();
    for (const id of ids) should(await files.find(id, 'me')).deepEqual(createFileRow(recordOf(id, 'bytes'), 7));
    should(lines).match([{ level: 'warn', count: 2 }]);
  });

  it('moves blobs without a readable record to quarantine, with one warning', async () => {
    const [missing, damaged, foreign] = [await storeBlob(), await storeBlob(), await storeBlob()];
    await removeRecord(missing);
    await writeFile(`${blobs.pathOf(damaged)}.json`, '{"version":1}\n');
    await rm(`${blobs.pathOf(foreign)}.json`);
    await writeFile(`${blobs.pathOf(foreign)}.json`, '');
    await reconcile();
    should(await blobs.listIds()).deepEqual({ blobs: new Set(), records: new Set() });
    should(new Set(await readdir(path.join(folder, 'quarantine')))).deepEqual(
      new Set([missing, damaged, `${damaged}.json`, foreign, `${foreign}.json`]),
    );
    should(lines).match([{ level: 'warn', count: 3 }]);
  });

  it('marks a stored file as damaged if only its record is left, and as lost if nothing is', async () => {
    const [damaged, lost, sound] = [await storeFile(), await storeFile(), await storeFile()];
    await rm(blobs.pathOf(damaged));
    await blobs.remove([lost]);
    await reconcile();
    should(await files.find(damaged, 'me')).match({ damaged_at: 8, deleted_at: null });
    should(await files.find(lost, 'me')).match({ damaged_at: 8, deleted_at: 7 });
    should(await files.find(sound, 'me')).match({ damaged_at: null, deleted_at: null });
    should(lines).match([{ level: 'warn', count: 2 }]);
  });

  it('restores a lost file once its bytes and its record are back, and quarantines it without a record', async () => {
    const [whole, bare] = [await storeFile(), await storeFile()];
    const [mounted, unmounted] = [path.join(folder, 'blobs'), path.join(folder, 'unmounted')];
    await rename(mounted, unmounted);
    await reconcile();
    await rename(unmounted, mounted);
    await removeRecord(bare);
    await reconcile();
    should(await files.find(whole, 'me')).deepEqual(createFileRow(recordOf(whole, 'bytes'), 7));
    should(await files.find(bare, 'me')).match({ deleted_at: 7 });
    should(await readdir(path.join(folder, 'quarantine'))).deepEqual([bare]);
  });

  it('deletes what is left of a damaged file that was deleted', async () => {
    const id = await storeFile();
    await files.setDamaged(id, 4);
    await files.setDeleted(id, 5);
    await reconcile();
    should(await exists(id)).equal(false);
    should(await files.find(id, 'me')).match({ deleted_at: 5 });
  });

  it('returns the stored files that have no record or no digest', async () => {
    const [unrecorded, old] = [await storeFile(), await storeFile(), await storeFile()];
    await removeRecord(unrecorded);
    await store.updateTable('file').set({ sha256: null, block_crcs: null }).where('id', '=', old).execute();
    should(new Set(await reconcile())).deepEqual(new Set([unrecorded, old]));
  });
});
