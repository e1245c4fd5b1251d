import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import should from 'should';
import { type BlobStore, openBlobStore } from '../../src/service/blobs/blob-store.js';
import { completeRecords } from '../../src/service/complete-records.js';
import { createDamageRecorder } from '../../src/service/damage-recorder.js';
import { createLogger } from '../../src/service/logger.js';
import { openStore, type Store } from '../../src/service/store/database.js';
import { createFileRow } from '../../src/service/store/file-row.js';
import { createFiles, type Files } from '../../src/service/store/files.js';
import { createFolder, removeFolder } from './support/data-folder.js';
import { recordOf } from './support/records.js';

describe('completeRecords', () => {
  let folder: string;
  let store: Store;
  let files: Files;
  let blobs: BlobStore;
  const running = new AbortController().signal;

  beforeEach(async () => {
    folder = await createFolder();
    store = await openStore(path.join(folder, 'service.db'));
    files = createFiles(store);
    blobs = await openBlobStore(folder);
  });

  afterEach(async () => {
    await store.destroy();
    await removeFolder(folder);
  });

  /** Stores a file without a record. */
  const storeFile = async (bytes: string, sha256?: null): Promise<string> => {
    const id = randomUUID();
    await writeFile(blobs.temporaryPath(id), bytes);
    await blobs.commit(recordOf(id, bytes));
    const row = createFileRow(recordOf(id, bytes), 3);
    await files.add(sha256 === null ? { ...row, sha256, block_crcs: null } : row);
    await rm(`${blobs.pathOf(id)}.json`);
    return id;
  };

  const complete = (ids: string[], signal = running): Promise<void> => {
    const logger = createLogger('silent');
    const damage = createDamageRecorder({ files, blobs, now: () => 9, logger });
    return completeRecords(ids, { blobs, files, damage, logger }, signal);
  };

  it('gives a file of an earlier version its digest and its record', async () => {
    for (const bytes of ['bytes', '']) {
      const id = await storeFile(bytes, null);
      await complete([id]);
      should(await blobs.readRecord(id)).deepEqual(recordOf(id, bytes));
      should(await files.find(id, 'me')).deepEqual(createFileRow(recordOf(id, bytes), 3));
    }
  });

  it('writes a lost record again', async () => {
    const id = await storeFile('bytes');
    await complete([id]);
    should(await blobs.readRecord(id)).deepEqual(recordOf(id, 'bytes'));
  });

  it('marks a file as damaged whose bytes are altered, cut off or missing, and goes on with the next', async () => {
    const [altered, cut, missing, sound] = [
      await storeFile('bytes'),
      await storeFile('bytes'),
      await storeFile('bytes', null),
      await storeFile('bytes', null),
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
    const [deleted, left] = [await storeFile('bytes'), await storeFile('bytes')];
    await files.markLost(deleted, 5);
    await complete([deleted]);
    await complete([left], AbortSignal.abort());
    for (const id of [deleted, left]) should(await blobs.readRecord(id)).equal(undefined);
  });
});
