import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import should from 'should';
import type { BlobFolder } from '../../src/service/blobs/blob-folder.js';
import { copyStore } from '../../src/service/data-folder/copy-store.js';
import { openDataFolder } from '../../src/service/data-folder/data-folder.js';
import { performJob } from '../../src/service/jobs/perform-job.js';
import { recover } from '../../src/service/recovery/recover.js';
import type { Store } from '../../src/service/store/database.js';
import { openStore } from '../../src/service/store/sqlite.js';
import { registerFileBench } from './support/file-bench.js';
import { recordOf } from './support/records.js';
import { withUnreadableFile } from './support/unreadable-file.js';

describe('a file that the disk cannot read', () => {
  let folder: string;
  let store: Store;
  let blobs: BlobFolder;

  const { storeFile } = registerFileBench((bench) => {
    ({ folder, store, blobs } = bench);
  });

  const recoverFolder = async () => {
    const locked = await openDataFolder(folder);
    const { findings } = await recover(locked, false, Date.now()).finally(() => locked.release());
    return findings;
  };

  it('is damaged in a copy of the store, which has all others', async () => {
    const [sound, bad] = [await storeFile('sound'), await storeFile('bad')];
    const target = path.join(folder, 'copy');
    const counts = await withUnreadableFile(blobs.pathOf(bad), () => copyStore(store, folder, target));
    should(counts).deepEqual({ copied: 1, bytes: 5, deleted: 0, damaged: 1 });
    const copy = await openStore(path.join(target, 'service.db'));
    const rows = await copy.selectFrom('file').select('id').where('damaged_at', 'is', null).execute();
    await copy.destroy();
    should(rows).deepEqual([{ id: sound }]);
  });

  it('counts as no record', async () => {
    const id = await storeFile('bytes');
    const record = await withUnreadableFile(`${blobs.pathOf(id)}.json`, () => blobs.readRecord(id));
    should(record).equal(undefined);
    should(await blobs.readRecord(id)).deepEqual(recordOf(id, 'bytes'));
  });

  for (const inputSha256 of [undefined, 'a'.repeat(64)]) {
    it(`fails an operation ${inputSha256 ? 'with' : 'without'} a known digest as damaged input`, async () => {
      const inputPath = path.join(folder, 'input');
      await writeFile(inputPath, 'solid x');
      const outputPath = path.join(folder, 'output');
      const common = {
        operation: 'import',
        parameters: {},
        filename: 'a.stl',
        memoryBytes: 2 ** 30,
        checksOwnMemory: true,
      };
      const job = { ...common, inputPath, outputPath, ...(inputSha256 ? { inputSha256 } : {}) };
      const outcome = await withUnreadableFile(inputPath, () => performJob(job, () => undefined));
      should(outcome).match({ type: 'failed', code: 'INPUT_DAMAGED', message: /^Could not read a\.stl: .*cannot be/ });
    });
  }

  it('does not prevent the recovery of files and models if it is the database', async () => {
    await storeFile('bytes');
    const findings = await withUnreadableFile(path.join(folder, 'service.db'), recoverFolder);
    should(findings?.database).match({ state: 'damaged', reason: 'the disk cannot read it' });
    should(findings?.operations).match({ isComplete: false });
    should(findings?.files.rows.size).equal(1);
  });

  it('does not prevent a recovery if it is the write-ahead log', async () => {
    await storeFile('bytes');
    const findings = await withUnreadableFile(path.join(folder, 'service.db-wal'), recoverFolder);
    should(findings?.database).match({ state: 'damaged', reason: 'the disk cannot read its write-ahead log' });
    should(findings?.files.rows.size).equal(1);
  });
});
