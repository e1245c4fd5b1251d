import should from 'should';
import { type BucketBench, registerBucketBench } from './support/bucket-bench.js';

describe('the list of a bucket', () => {
  let bench: BucketBench;
  registerBucketBench((opened) => (bench = opened));

  it('has all objects with their sizes, page by page, whatever characters their keys have', async () => {
    const keys = ['a', 'b c', 'b+c', 'b%20c', 'b/c', 'd\u0001', '\u00fc & <x>'];
    for (const [index, key] of keys.entries()) await bench.bucket.put(key, 'x'.repeat(index));
    const pages = [];
    for await (const page of bench.bucket.list({ pageSize: 2 })) pages.push(page);
    should(pages.map(({ length }) => length)).eql([2, 2, 2, 1]);
    const sizes = Object.fromEntries(pages.flat().map(({ key, size }) => [key, size]));
    should(sizes).eql(Object.fromEntries(keys.map((key, index) => [key, index])));
  });

  it('is empty for an empty bucket, and fails for one that does not exist', async () => {
    const listAll = async (): Promise<number> => {
      let count = 0;
      for await (const page of bench.bucket.list()) count += page.length;
      return count;
    };
    should(await listAll()).equal(0);
    await bench.removeBucket();
    await should(listAll()).be.rejectedWith({ code: 'STORAGE_UNAVAILABLE' });
  });
});
