import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import should from 'should';
import { type BlobFolder, openBlobFolder } from '../../../src/service/blobs/blob-folder.js';
import { registerFileBench } from '../support/file-bench.js';
import { recordOf } from '../support/records.js';

describe('a blob folder', () => {
  let folder: string;
  let blobs: BlobFolder;
  const bench = registerFileBench((opened) => ({ folder, blobs } = opened));

  it('writes a record at the same time as another process', async () => {
    const id = await bench.storeBlob('bytes');
    const record = recordOf(id, 'bytes', { operationId: 'the operation' });
    const other = await openBlobFolder(folder);
    for (let round = 0; round < 20; round++) {
      await Promise.all([blobs.writeRecord(record), other.writeRecord(record)]);
    }
    should(await blobs.readRecord(id)).deepEqual(record);
    should(await readdir(path.join(folder, 'temp'))).be.empty();
  });

  it('stores the bytes of a sink once they are committed', async () => {
    const record = recordOf(randomUUID(), 'first second');
    const { id, size, sha256, blockCrcs } = record;
    const sink = await blobs.write(id, () => Promise.resolve());
    for (const part of ['first ', 'second']) sink.write(Buffer.from(part));
    should(await sink.finish()).deepEqual({ size, sha256, blockCrcs });
    should(await blobs.readIdentity(id)).be.undefined();
    await sink.commit(record);
    should(await blobs.readRecord(id)).deepEqual(record);
    should(await readFile(await blobs.toScratch(id), 'utf8')).equal('first second');
    should(await readdir(path.join(folder, 'temp'))).be.empty();
  });

  for (const isFinished of [false, true]) {
    it(`keeps nothing of a sink that is aborted ${isFinished ? 'after' : 'before'} it was finished`, async () => {
      const id = randomUUID();
      const sink = await blobs.write(id, () => Promise.resolve());
      sink.write(Buffer.from('bytes'));
      if (isFinished) await sink.finish();
      await sink.abort();
      should(await readdir(path.join(folder, 'temp'))).be.empty();
      should(await blobs.listIds()).deepEqual({ blobs: new Set(), records: new Set() });
    });
  }
});
