import { readdir } from 'node:fs/promises';
import path from 'node:path';
import should from 'should';
import { type BlobStore, openBlobStore } from '../../../src/service/blobs/blob-store.js';
import { registerFileBench } from '../support/file-bench.js';
import { recordOf } from '../support/records.js';

describe('a blob store', () => {
  let folder: string;
  let blobs: BlobStore;
  const bench = registerFileBench((opened) => ({ folder, blobs } = opened));

  it('writes a record at the same time as another process', async () => {
    const id = await bench.storeBlob('bytes');
    const record = recordOf(id, 'bytes', { operationId: 'the operation' });
    const other = await openBlobStore(folder);
    for (let round = 0; round < 20; round++) {
      await Promise.all([blobs.writeRecord(record), other.writeRecord(record)]);
    }
    should(await blobs.readRecord(id)).deepEqual(record);
    should(await readdir(path.join(folder, 'temp'))).be.empty();
  });
});
