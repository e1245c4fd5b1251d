import { randomUUID } from 'node:crypto';
import { CreateMultipartUploadCommand, ListMultipartUploadsCommand, S3Client } from '@aws-sdk/client-s3';
import should from 'should';
import { abortAbandonedUploads } from '../../../src/service/blobs/s3/abort-abandoned-uploads.js';
import { createObjectKey } from '../../../src/service/blobs/s3/object-keys.js';
import { type BucketBench, registerBucketBench } from './support/bucket-bench.js';
import { type ObjectBench, registerObjectBench } from './support/object-bench.js';

const HOUR = 60 * 60 * 1000;

describe('abortAbandonedUploads', () => {
  let bench: BucketBench;
  let objects: ObjectBench;
  let client: S3Client;
  registerBucketBench((opened) => (bench = opened));
  registerObjectBench((opened) => (objects = opened));

  beforeEach(() => {
    client = new S3Client({ endpoint: bench.swift.endpoint, region: 'us-east-1', forcePathStyle: true });
  });
  afterEach(() => client.destroy());

  const start = async (key: string): Promise<string> => {
    await client.send(new CreateMultipartUploadCommand({ Bucket: bench.name, Key: key }));
    return key;
  };

  /** Lists the keys of the unfinished uploads, with the prefix. */
  const listKeys = async (): Promise<string[]> => {
    const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: bench.name }));
    return Uploads.map(({ Key = '' }) => Key);
  };

  /** Does the maintenance so many hours later. */
  const run = (hours: number, signal = new AbortController().signal): Promise<number> => {
    const logger = { info: () => undefined };
    const { bucket } = bench;
    return abortAbandonedUploads({ bucket, rows: objects.rows, now: () => Date.now() + hours * HOUR, logger }, signal);
  };

  it('aborts uploads of objects that nobody writes, a day after their start', async () => {
    for (let count = 0; count < 2; count++) await start(`service/${createObjectKey(randomUUID())}`);
    should(await run(23)).equal(0);
    should(await run(25)).equal(2);
    should(await listKeys()).be.empty();
  });

  it('keeps those of objects that are being written, of other programs, and of other prefixes', async () => {
    const open = createObjectKey(randomUUID());
    await objects.rows.open(open, 'me');
    const kept = [await start(`service/${open}`), await start('service/other.bin')];
    kept.push(await start(`other/${createObjectKey(randomUUID())}`));
    should(await run(25)).equal(0);
    should(await listKeys()).deepEqual(kept.toSorted());
  });

  it('reads all pages', async () => {
    const keys = Array.from({ length: 5 }, () => createObjectKey(randomUUID()));
    for (const key of keys) await start(`service/${key}`);
    const listed: string[] = [];
    for await (const page of bench.bucket.listUploads(2)) {
      should(page.length).be.belowOrEqual(2);
      listed.push(...page.map(({ key }) => key));
    }
    should(listed).have.length(5);
    should(new Set(listed)).deepEqual(new Set(keys));
  });

  it('ends when the worker stops', async () => {
    await start(`service/${createObjectKey(randomUUID())}`);
    await run(25, AbortSignal.abort(new Error('The worker is stopping.'))).should.be.rejectedWith(
      'The worker is stopping.',
    );
    should(await listKeys()).have.length(1);
  });
});
