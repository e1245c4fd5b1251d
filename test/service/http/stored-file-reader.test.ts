import should from 'should';
import type { BlobFolder } from '../../../src/service/blobs/blob-folder.js';
import { BlockBuffers } from '../../../src/service/blobs/block-buffers.js';
import { createStoredFileReader, type StoredFileReader } from '../../../src/service/http/stored-file-reader.js';
import { createDamageRecorder } from '../../../src/service/integrity/damage-recorder.js';
import { createLogger } from '../../../src/service/logger.js';
import type { Files } from '../../../src/service/store/files.js';
import { registerFileBench } from '../support/file-bench.js';

const MINUTE_MS = 60_000;

describe('a reader of a stored file', () => {
  let files: Files;
  let blobs: BlobFolder;
  let now: number;
  let id: string;
  let reader: StoredFileReader;
  const bench = registerFileBench((opened) => ({ files, blobs } = opened));

  beforeEach(async () => {
    now = 10;
    id = await bench.storeFile('0123456789');
    const row = await files.find(id, 'me');
    if (!row) throw new Error('No row.');
    const damage = createDamageRecorder({ files, blobs, now: () => now, logger: createLogger('silent') });
    const clock = { now: () => now };
    reader = createStoredFileReader(row, 8, { blobs, clock, damage, files }, new BlockBuffers());
  });

  afterEach(() => reader.close());

  const readAll = async (offset: number): Promise<string> => {
    let text = '';
    for await (const chunk of reader.readFrom(offset)) text += chunk.toString();
    return text;
  };

  it('continues at another offset after the file was deleted', async () => {
    should(await readAll(0)).equal('012345678');
    await blobs.remove([id]);
    should(await readAll(5)).equal('5678');
  });

  it('protects the file from eviction for as long as the download continues', async () => {
    const readAt = async (): Promise<number | undefined> => (await files.find(id, 'me'))?.read_at;
    await readAll(0);
    const before = await readAt();
    now += MINUTE_MS;
    await readAll(3);
    should(await readAt()).equal(before);
    now += 1;
    await readAll(6);
    should(await readAt()).equal(now);
  });

  it('replies FILE_DAMAGED for a file that is missing from the start', async () => {
    await blobs.remove([id]);
    await readAll(0).should.be.rejectedWith({ code: 'FILE_DAMAGED' });
  });
});
