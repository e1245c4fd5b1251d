import { randomUUID } from 'node:crypto';
import should from 'should';
import { assertBucketOwner } from '../../../src/service/blobs/s3/assert-bucket-owner.js';
import { StartError } from '../../../src/service/start-error.js';
import { findFreePort } from '../../helpers/node-red-process.js';
import { type BucketBench, registerBucketBench, SHORT_LIMITS } from './support/bucket-bench.js';

describe('assertBucketOwner', () => {
  let bench: BucketBench;
  registerBucketBench((opened) => (bench = opened));

  async function findCode(action: Promise<void>): Promise<string | undefined> {
    const error = await action.catch((thrown: unknown) => thrown);
    if (error === undefined) return undefined;
    if (!(error instanceof StartError)) throw error;
    should(error.message).not.containEql(bench.swift.secretAccessKey);
    return error.code;
  }

  it('marks an empty bucket, and accepts the same store again', async () => {
    const storeId = randomUUID();
    await assertBucketOwner(bench.bucket, storeId);
    should((await bench.readObject('store-id')).toString()).equal(`${storeId}\n`);
    await assertBucketOwner(bench.bucket, storeId);
  });

  it('refuses the bucket of another store with BUCKET_FOREIGN, and leaves its mark', async () => {
    const storeId = randomUUID();
    await assertBucketOwner(bench.bucket, storeId);
    should(await findCode(assertBucketOwner(bench.bucket, randomUUID()))).equal('BUCKET_FOREIGN');
    should((await bench.readObject('store-id')).toString()).equal(`${storeId}\n`);
  });

  it('lets one of two stores mark an empty bucket at the same time', async () => {
    for (let round = 0; round < 3; round++) {
      const ids = [randomUUID(), randomUUID()];
      const codes = await Promise.all(ids.map((id) => findCode(assertBucketOwner(bench.bucket, id))));
      should(new Set(codes)).deepEqual(new Set(['BUCKET_FOREIGN', undefined]));
      should((await bench.readObject('store-id')).toString()).equal(`${ids[codes.indexOf(undefined)]}\n`);
      should(await bench.listKeys()).deepEqual(['store-id']);
      await bench.bucket.remove('store-id');
    }
  });

  it('refuses a bucket that does not exist, wrong credentials, and a storage that is away', async () => {
    await bench.removeBucket();
    should(await findCode(assertBucketOwner(bench.bucket, randomUUID()))).equal('BUCKET_UNAVAILABLE');

    const secret = process.env.AWS_SECRET_ACCESS_KEY;
    process.env.AWS_SECRET_ACCESS_KEY = 'wrong';
    const other = bench.openAt(bench.swift.endpoint, SHORT_LIMITS);
    should(await findCode(assertBucketOwner(other, randomUUID()))).equal('BUCKET_UNAVAILABLE');
    process.env.AWS_SECRET_ACCESS_KEY = secret;

    const away = bench.openAt(`http://127.0.0.1:${await findFreePort()}`, SHORT_LIMITS);
    should(await findCode(assertBucketOwner(away, randomUUID()))).equal('BUCKET_UNAVAILABLE');
  });
});
