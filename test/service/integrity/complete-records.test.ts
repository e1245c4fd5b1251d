import { rm, writeFile } from 'node:fs/promises';
import should from 'should';
import type { BlobFolder } from '../../../src/service/blobs/blob-folder.js';
import { completeRecords } from '../../../src/service/integrity/complete-records.js';
import { createDamageRecorder } from '../../../src/service/integrity/damage-recorder.js';
import { createLogger } from '../../../src/service/logger.js';
import type { Store } from '../../../src/service/store/database.js';
import { createFileRow } from '../../../src/service/store/file-row.js';
import type { Files } from '../../../src/service/store/files.js';
import { deletingAtWrite, registerFileBench } from '../support/file-bench.js';
import { recordOf } from '../support/records.js';

describe('completeRecords', () => {
  let store: Store;
  let files: Files;
  let blobs: BlobFolder;
  const { storeFile } = registerFileBench((bench) => ({ store, files, blobs } = bench));
  const running = new AbortController().signal;

  /** Stores a file whose record is lost. */
  const storeUnrecorded = async (bytes: string): Promise<string> => {
    const id = await storeFile(bytes);
    await rm(`${blobs.pathOf(id)}.json`);
    return id;
  };

  /** Stores a file as versions without records and digests did. */
  const storeOld = async (bytes: string): Promise<string> => {
    const id = await storeUnrecorded(bytes);
    await store.updateTable('file').set({ sha256: null, block_crcs: null }).where('id', '=', id).execute();
    return id;
  };

  const complete = (ids: string[], signal = running, target = blobs): Promise<void> => {
    const logger = createLogger('silent');
    const damage = createDamageRecorder({ files, blobs, now: () => 9, logger });
    return completeRecords(ids, { blobs: target, files, damage, logger }, signal);
  };

  it('gives a file of an earlier version its digest and its record', async () => {
    for (const bytes of ['bytes', '']) {
      const id = await storeOld(bytes);
      await complete([id]);
      should(await blobs.readRecord(id)).deepEqual(recordOf(id, bytes));
      should(await files.find(id, 'me')).deepEqual(createFileRow(recordOf(id, bytes), 3));
    }
  });

  it('writes a lost record again', async () => {
    const id = await storeUnrecorded('bytes');
    await complete([id]);
    should(await blobs.readRecord(id)).deepEqual(recordOf(id, 'bytes'));
  });

  it('keeps the operation and the idempotency key of a record whose row has no digest', async () => {
    for (const more of [{ operationId: 'the operation' }, { request: { key: 'a', fingerprint: 'f' } }]) {
      const id = await storeFile('bytes', more);
      await store.updateTable('file').set({ sha256: null, block_crcs: null }).where('id', '=', id).execute();
      await complete([id]);
      should(await blobs.readRecord(id)).deepEqual(recordOf(id, 'bytes', more));
      should(await files.find(id, 'me')).deepEqual(createFileRow(recordOf(id, 'bytes'), 3));
    }
  });

  it('leaves no record of a file that is deleted while its record is written', async () => {
    const ids = [await storeUnrecorded('bytes'), await storeOld('bytes')];
    await complete(ids, running, deletingAtWrite(blobs, files));
    should(await blobs.listIds()).deepEqual({ blobs: new Set(), records: new Set() });
  });

  it('marks a file as damaged whose bytes are altered, cut off or missing, and goes on with the next', async () => {
    const [altered, cut, missing, sound] = [
      await storeUnrecorded('bytes'),
      await storeUnrecorded('bytes'),
      await storeOld('bytes'),
      await storeOld('bytes'),
    ];
    await writeFile(blobs.pathOf(altered), 'BYTES');
    await writeFile(blobs.pathOf(cut), 'byte');
    await rm(blobs.pathOf(missing));
    await complete([altered, cut, missing, sound]);
    for (const id of [altered, cut, missing]) {
      should(await files.find(id, 'me')).match({ damaged_at: 9 });
      should(await blobs.readRecord(id)).equal(undefined);
    }
    should(await files.find(sound, 'me')).match({ damaged_at: null, sha256: recordOf(sound, 'bytes').sha256 });
  });

  it('skips files that were deleted meanwhile, and ends when it is aborted', async () => {
    const [deleted, left] = [await storeUnrecorded('bytes'), await storeUnrecorded('bytes')];
    await files.setDeleted(deleted, 5);
    await complete([deleted]);
    await complete([left], AbortSignal.abort());
    for (const id of [deleted, left]) should(await blobs.readRecord(id)).equal(undefined);
  });
});
