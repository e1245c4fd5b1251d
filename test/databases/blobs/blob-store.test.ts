import { randomBytes, randomUUID } from 'node:crypto';
import { access, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import should from 'should';
import { BlobDamagedError, isBlobDamaged } from '../../../src/service/blobs/blob-damage.js';
import { openBlobFolder } from '../../../src/service/blobs/blob-folder.js';
import type { BlobRecord } from '../../../src/service/blobs/blob-record.js';
import type { BlobKey, BlobStore } from '../../../src/service/blobs/blob-store.js';
import { removeObjects } from '../../../src/service/blobs/s3/remove-objects.js';
import { createS3Blobs } from '../../../src/service/blobs/s3/s3-blobs.js';
import { openScratchFolder } from '../../../src/service/blobs/s3/scratch-folder.js';
import { recordOf } from '../../service/support/records.js';
import { type BucketBench, registerBucketBench } from './support/bucket-bench.js';
import { type ObjectBench, registerObjectBench } from './support/object-bench.js';

/** A blob store, and what the rest of the service does when it uses it. */
interface StoreBench {
  blobs: BlobStore;
  scratch: string;
  addFile(record: BlobRecord, key: BlobKey): Promise<void>;
  deleteFile(id: string): Promise<void>;
  /** Runs the maintenance. */
  maintain(): Promise<unknown>;
  close(): void;
}

async function openFolderBench(folder: string): Promise<StoreBench> {
  const none = async (): Promise<void> => undefined;
  const blobs = await openBlobFolder(folder);
  return {
    blobs,
    scratch: path.join(folder, 'temp'),
    addFile: none,
    deleteFile: none,
    maintain: async () => 0,
    close: none,
  };
}

async function openS3Bench(folder: string, { bucket }: BucketBench, objects: ObjectBench): Promise<StoreBench> {
  const { rows } = objects;
  const logger = { warn: () => undefined, info: () => undefined };
  const scratch = await openScratchFolder(folder, 100_000_000, logger);
  const blobs = createS3Blobs({ bucket, rows, scratch, logger });
  return {
    blobs,
    scratch: folder,
    addFile: objects.addFile,
    deleteFile: objects.deleteFile,
    maintain: () => removeObjects({ bucket, rows, now: () => objects.time, logger }, new AbortController().signal),
    close: blobs.close,
  };
}

async function readAll(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const copies: Buffer[] = [];
  for await (const chunk of chunks) copies.push(Buffer.from(chunk));
  return Buffer.concat(copies);
}

const isMissing = (file: string): Promise<boolean> =>
  access(file).then(
    () => false,
    () => true,
  );

for (const name of ['a folder', 'a bucket']) {
  describe(`a blob store in ${name}`, () => {
    let bucketBench: BucketBench;
    let folder: string;
    let bench: StoreBench;
    let blobs: BlobStore;
    let objects: ObjectBench;
    if (name === 'a bucket') {
      registerBucketBench((opened) => (bucketBench = opened));
      registerObjectBench((opened) => (objects = opened));
    }

    beforeEach(async () => {
      folder = await mkdtemp(path.join(tmpdir(), 'blob-store-'));
      bench = await (name === 'a folder' ? openFolderBench(folder) : openS3Bench(folder, bucketBench, objects));
      ({ blobs } = bench);
    });
    afterEach(async () => {
      bench.close();
      await rm(folder, { recursive: true });
    });

    async function upload(bytes: Buffer | string): Promise<BlobRecord> {
      const record = recordOf(randomUUID(), bytes);
      const sink = await blobs.write(record.id, () => Promise.resolve(), 'me');
      const all = Buffer.from(bytes);
      for (let offset = 0; offset < all.length; offset += 65536) {
        sink.write(all.subarray(offset, offset + 65536));
        await sink.drained();
      }
      const { id: _id, owner: _owner, kind: _kind, filename: _filename, ...rest } = record;
      should(rest).containEql(await sink.finish());
      await bench.addFile(record, await sink.commit(record));
      return record;
    }

    async function storeOutput(bytes: Buffer | string): Promise<BlobRecord> {
      const record = recordOf(randomUUID(), bytes, { kind: 'model', operationId: 'op' });
      const file = blobs.scratchPath();
      await writeFile(file, bytes);
      await bench.addFile(record, await blobs.fromScratch(file, record, randomUUID()));
      return record;
    }

    async function remove(id: string): Promise<void> {
      await bench.deleteFile(id);
      await blobs.remove([id]);
      await bench.maintain();
    }

    for (const size of [0, 5, 1 << 20, (9 << 20) + 1, 17 << 20]) {
      it(`reads the ${size} bytes of an upload, its ranges and its record`, async () => {
        const bytes = randomBytes(size);
        const record = await upload(bytes);
        const { id } = record;
        should(await blobs.readRecord(id)).deepEqual(record);
        should((await readAll(blobs.readVerified(id, 0, size - 1, record))).equals(bytes)).be.true();
        for (const [start, end] of [
          [0, 0],
          [size >> 1, size - 1],
          [3, size - 2],
        ] as const) {
          if (start < 0 || end >= size || start > end) continue;
          const expected = bytes.subarray(start, end + 1);
          should((await readAll(blobs.readVerified(id, start, end, record))).equals(expected)).be.true();
          should((await readAll(blobs.read(id, start, end))).equals(expected)).be.true();
        }
        const copy = await blobs.toScratch(id);
        should((await readFile(copy)).equals(bytes)).be.true();
        blobs.release(copy);
      });
    }

    it('reads the output of a job and its record', async () => {
      const record = await storeOutput('an output');
      should((await readAll(blobs.readVerified(record.id, 0, 8, record))).toString()).equal('an output');
      should(await blobs.readRecord(record.id)).deepEqual(record);
      const copy = await blobs.toScratch(record.id);
      should(await readFile(copy, 'utf8')).equal('an output');
      blobs.release(copy);
    });

    it('replaces a record', async () => {
      const record = await upload('bytes');
      await blobs.writeRecord({ ...record, filename: 'b.stl' });
      should((await blobs.readRecord(record.id))?.filename).equal('b.stl');
    });

    it('has nothing of a file that does not exist', async () => {
      const id = randomUUID();
      should(await blobs.readRecord(id)).be.undefined();
      should(await blobs.readIdentity(id)).be.undefined();
      should(await isMissing(await blobs.toScratch(id))).be.true();
      const error = await readAll(blobs.read(id, 0, 1)).catch((thrown: unknown) => thrown);
      should(isBlobDamaged(error)).be.true();
      await blobs.remove([id]);
    });

    it('keeps nothing of a file that is deleted', async () => {
      const record = await upload('bytes');
      await remove(record.id);
      should(await blobs.readIdentity(record.id)).be.undefined();
      should(await blobs.readRecord(record.id)).be.undefined();
    });

    it('shares the bytes of a result until the last file with them is deleted', async () => {
      const first = await storeOutput('an output');
      const file = blobs.scratchPath();
      should(await blobs.share(first.id, file)).be.true();
      should(await readFile(file, 'utf8')).equal('an output');
      const second = { ...first, id: randomUUID() };
      await bench.addFile(second, await blobs.fromScratch(file, second, randomUUID()));
      await blobs.discard(file);
      should(await blobs.readIdentity(first.id)).equal(await blobs.readIdentity(second.id));

      await remove(first.id);
      should((await readAll(blobs.readVerified(second.id, 0, 8, second))).toString()).equal('an output');
      should(await blobs.readRecord(second.id)).deepEqual(second);

      await remove(second.id);
      should(await blobs.readIdentity(second.id)).be.undefined();
      should(await blobs.readRecord(second.id)).be.undefined();
      if (bucketBench) should(await bucketBench.listKeys()).be.empty();
    });

    for (const isFinished of [false, true]) {
      it(`keeps nothing of a sink that is aborted ${isFinished ? 'after' : 'before'} it was finished`, async () => {
        const id = randomUUID();
        const sink = await blobs.write(id, () => Promise.resolve());
        sink.write(randomBytes(20 << 20));
        if (isFinished) await sink.finish();
        await sink.abort();
        await bench.maintain();
        should(await readdir(bench.scratch)).be.empty();
        if (bucketBench) should(await bucketBench.listKeys()).be.empty();
      });
    }

    it('stops a sink whose space cannot be reserved', async () => {
      const refuse = (): Promise<void> => Promise.reject(new Error('No space.'));
      const sink = await blobs.write(randomUUID(), refuse);
      sink.write(Buffer.from('bytes'));
      await should(sink.finish()).be.rejectedWith('No space.');
      await sink.abort();
      await bench.maintain();
      if (bucketBench) should(await bucketBench.listKeys()).be.empty();
    });

    it('throws for bytes that are not those of the digest', async () => {
      const record = await upload(randomBytes(3 << 20));
      const blockCrcs = `${record.blockCrcs.slice(0, 8)}00000000${record.blockCrcs.slice(16)}`;
      const chunks = blobs.readVerified(record.id, 0, record.size - 1, { ...record, blockCrcs });
      let count = 0;
      const error = await (async () => {
        for await (const chunk of chunks) count += chunk.length;
      })().catch((thrown: unknown) => thrown);
      should(error).be.instanceOf(BlobDamagedError);
      should(count).equal(1 << 20);
    });
  });
}
