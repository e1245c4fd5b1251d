import { randomBytes, randomUUID } from 'node:crypto';
import { access, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CreateMultipartUploadCommand, ListMultipartUploadsCommand, S3Client } from '@aws-sdk/client-s3';
import should from 'should';
import { BlobDamagedError } from '../../../src/service/blobs/blob-damage.js';
import type { BlobRecord } from '../../../src/service/blobs/blob-record.js';
import type { Bucket } from '../../../src/service/blobs/s3/bucket.js';
import { createObjectKey } from '../../../src/service/blobs/s3/object-keys.js';
import type { ObjectRows } from '../../../src/service/blobs/s3/object-rows.js';
import { removeObjects, STALE_AFTER_MS } from '../../../src/service/blobs/s3/remove-objects.js';
import { createS3Blobs, type S3Blobs } from '../../../src/service/blobs/s3/s3-blobs.js';
import { openScratchFolder } from '../../../src/service/blobs/s3/scratch-folder.js';
import { ServiceError } from '../../../src/service/service-error.js';
import { recordOf } from '../../service/support/records.js';
import { type BucketBench, registerBucketBench, SHORT_LIMITS } from './support/bucket-bench.js';
import { type FaultyProxy, startFaultyProxy } from './support/faulty-proxy.js';
import { type ObjectBench, registerObjectBench } from './support/object-bench.js';

const MIB = 1 << 20;

describe('a blob store in a bucket with faults', () => {
  let bench: BucketBench;
  let proxy: FaultyProxy;
  let bucket: Bucket;
  let objects: ObjectBench;
  let rows: ObjectRows;
  let scratch: string;
  let blobs: S3Blobs;
  registerBucketBench((opened) => (bench = opened));
  registerObjectBench((opened) => (objects = opened));

  beforeEach(async () => {
    proxy = await startFaultyProxy(bench.swift.endpoint);
    bucket = bench.openAt(proxy.endpoint, SHORT_LIMITS);
    rows = { ...objects.rows };
    scratch = await mkdtemp(path.join(tmpdir(), 's3-faults-'));
    const logger = { warn: (entry: object) => void bench.log.push(entry) };
    blobs = createS3Blobs({ bucket, rows, scratch: await openScratchFolder(scratch, 100 * MIB, logger), logger });
  });
  afterEach(async () => {
    blobs.close();
    await proxy.close();
    await rm(scratch, { recursive: true });
  });

  async function upload(bytes: Buffer): Promise<BlobRecord> {
    const record = recordOf(randomUUID(), bytes);
    const sink = await blobs.write(record.id, () => Promise.resolve());
    try {
      for (let offset = 0; offset < bytes.length; offset += 65536) {
        sink.write(bytes.subarray(offset, offset + 65536));
        await sink.drained();
      }
      await sink.finish();
      await objects.addFile(record, await sink.commit(record));
    } catch (error) {
      await sink.abort();
      throw error;
    }
    return record;
  }

  async function read({ id, size, ...digest }: BlobRecord, start = 0, end = size - 1): Promise<Buffer> {
    const copies: Buffer[] = [];
    for await (const chunk of blobs.readVerified(id, start, end, { size, ...digest })) copies.push(Buffer.from(chunk));
    return Buffer.concat(copies);
  }

  function maintain(): Promise<number> {
    const logger = { info: () => undefined, warn: () => undefined };
    return removeObjects({ bucket, rows, now: () => objects.time, logger }, new AbortController().signal);
  }

  async function listUploads(): Promise<unknown[]> {
    const client = new S3Client({ endpoint: bench.swift.endpoint, region: 'us-east-1', forcePathStyle: true });
    const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: bench.name }));
    client.destroy();
    return Uploads;
  }

  async function expectUnavailable(action: Promise<unknown>): Promise<void> {
    const error = await action.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof ServiceError)) throw new Error(`Expected STORAGE_UNAVAILABLE, got ${String(error)}`);
    should(error.code).equal('STORAGE_UNAVAILABLE');
    should(error.retryAfterS).be.above(0);
    const texts = JSON.stringify([error.message, String(error.cause), bench.log]);
    should(texts).not.containEql(bench.swift.secretAccessKey);
    should(texts).not.match(/signature/i);
  }

  /** Nothing is left of an upload, neither an object nor a part nor a row. */
  async function expectNothingLeft(): Promise<void> {
    await maintain();
    should(await bench.listKeys()).be.empty();
    should(await listUploads()).be.empty();
    should(await objects.readStates()).deepEqual({});
  }

  for (const size of [5, 30 * MIB]) {
    for (const fault of ['error', 'stall', 'cut'] as const) {
      it(`fails an upload of ${size} bytes if each request ends with ${fault}, and leaves nothing`, async () => {
        proxy.chooseFault = (line) => (line.startsWith('PUT') ? fault : undefined);
        await expectUnavailable(upload(randomBytes(size)));
        proxy.chooseFault = () => undefined;
        await expectNothingLeft();
      });

      it(`stores an upload of ${size} bytes although the first request ended with ${fault}`, async () => {
        let count = 0;
        proxy.chooseFault = (line) => (line.startsWith('PUT') && count++ === 0 ? fault : undefined);
        const bytes = randomBytes(size);
        const record = await upload(bytes);
        should((await read(record)).equals(bytes)).be.true();
        should(count).be.above(1);
      });
    }
  }

  it('stops an upload at the first part that failed, and aborts its parts', async () => {
    proxy.chooseFault = (line) => (line.includes('partNumber=2') ? 'error' : undefined);
    const sink = await blobs.write(randomUUID(), () => Promise.resolve());
    // The other parts are sent meanwhile: how many depends on the speed.
    const sendUntilItFails = async (): Promise<never> => {
      for (;;) {
        sink.write(randomBytes(MIB));
        await sink.drained();
      }
    };
    await expectUnavailable(sendUntilItFails());
    should(await listUploads()).be.empty();
    await sink.abort();
    await expectNothingLeft();
  });

  it('fails while the storage is away, and works when it is back', async () => {
    const record = await upload(randomBytes(2 * MIB));
    await proxy.close();
    await expectUnavailable(upload(randomBytes(5)));
    await expectUnavailable(read(record));
    await expectUnavailable(blobs.toScratch(record.id));
    await expectUnavailable(blobs.readIdentity(record.id));
    await expectUnavailable(maintain());
    should(await readdir(scratch)).be.empty();
    bucket = bench.bucket;
    await maintain();
    should((await bench.listKeys()).sort()).deepEqual(
      [createObjectKey(record.id), `records/${record.id}/upload.json`].sort(),
    );
  });

  it('continues a download whose connection is cut', async () => {
    const bytes = randomBytes(12 * MIB);
    const record = await upload(bytes);
    proxy.requests.length = 0;
    proxy.chooseFault = () => (proxy.requests.length <= 3 ? 'cut' : undefined);
    should((await read(record, 5, 11 * MIB)).equals(bytes.subarray(5, 11 * MIB + 1))).be.true();
    should(proxy.requests.length).be.within(3, 5);
    const copy = await blobs.toScratch(record.id);
    should((await readFile(copy)).equals(bytes)).be.true();
  });

  it('fails a download whose connection is cut each time before its first byte', async () => {
    const record = await upload(randomBytes(1000));
    proxy.chooseFault = () => 'cut';
    await expectUnavailable(read(record));
    await expectUnavailable(blobs.toScratch(record.id));
    should(await readdir(scratch)).be.empty();
  });

  it('returns no byte of an altered object, and gives no copy of it to a job', async () => {
    const record = await upload(randomBytes(2 * MIB));
    proxy.chooseFault = (line) => (line.startsWith('GET') ? 'alter' : undefined);
    await should(read(record)).be.rejectedWith(BlobDamagedError);
    await should(access(await blobs.toScratch(record.id))).be.rejectedWith({ code: 'ENOENT' });
    should(await readdir(scratch)).be.empty();
  });

  it('finds that an object is missing or has another size', async () => {
    const record = await upload(randomBytes(1000));
    const key = createObjectKey(record.id);
    await bucket.put(key, randomBytes(999));
    await should(read(record)).be.rejectedWith(BlobDamagedError);
    await should(read(record, 0, 10)).be.rejectedWith(BlobDamagedError);
    await bucket.remove(key);
    await should(read(record)).be.rejectedWith(BlobDamagedError);
    await should(access(await blobs.toScratch(record.id))).be.rejectedWith({ code: 'ENOENT' });
    should(await blobs.readIdentity(record.id)).be.undefined();
  });

  it('does not take a missing bucket for a missing object', async () => {
    const record = await upload(randomBytes(1000));
    await bucket.remove(createObjectKey(record.id));
    await bucket.remove(`records/${record.id}/upload.json`);
    await bench.removeBucket();
    await expectUnavailable(read(record));
    await expectUnavailable(blobs.readIdentity(record.id));
    await expectUnavailable(blobs.toScratch(record.id));
  });

  it('does not store an upload that was given up meanwhile, and deletes its object', async () => {
    const record = recordOf(randomUUID(), 'bytes');
    const sink = await blobs.write(record.id, () => Promise.resolve());
    sink.write(Buffer.from('bytes'));
    await sink.finish();
    objects.time += STALE_AFTER_MS + 1;
    await maintain();
    should(await bench.listKeys()).be.empty();
    await expectUnavailable(sink.commit(record));
    await sink.abort();
    await expectNothingLeft();
  });

  it('deletes a record that was written after its file was deleted', async () => {
    const record = await upload(randomBytes(1000));
    await objects.deleteFile(record.id);
    await blobs.remove([record.id]);
    await maintain();
    await blobs.writeRecord(record);
    should(await bench.listKeys()).have.length(1);
    await maintain();
    await expectNothingLeft();
  });

  it('deletes what a killed process left of an upload once it was untouched for an hour', async () => {
    const key = createObjectKey(randomUUID());
    await rows.open(key, 'me');
    const client = new S3Client({ endpoint: bench.swift.endpoint, region: 'us-east-1', forcePathStyle: true });
    await client.send(new CreateMultipartUploadCommand({ Bucket: bench.name, Key: `service/${key}` }));
    client.destroy();
    objects.time += STALE_AFTER_MS;
    should(await maintain()).equal(0);
    should(await listUploads()).have.length(1);
    objects.time += 1;
    should(await maintain()).equal(1);
    await expectNothingLeft();
  });
});
