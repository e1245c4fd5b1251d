import should from 'should';
import { storageUnavailableError } from '../../../src/service/blobs/s3/bucket-error.js';
import { removeObjects } from '../../../src/service/blobs/s3/remove-objects.js';
import { type ObjectBench, registerObjectBench } from './support/object-bench.js';

const MINUTE = 60_000;

describe('removeObjects', () => {
  let bench: ObjectBench;
  /** Returns whether the bucket deletes an object. */
  let canRemove: (key: string) => boolean;
  let removed: string[];
  registerObjectBench((opened) => (bench = opened));

  beforeEach(() => {
    canRemove = () => true;
    removed = [];
  });

  /** Adds objects that are to be deleted, the first one first. */
  const discard = async (...keys: string[]): Promise<void> => {
    for (const key of keys) {
      bench.time += 1;
      await bench.rows.open(key, 'me');
      await bench.rows.discard(key);
    }
  };

  const run = (signal = new AbortController().signal): Promise<number> => {
    removed = [];
    bench.time += MINUTE;
    const bucket = {
      remove: async (key: string) => {
        if (key.startsWith('records/')) return;
        if (!canRemove(key)) throw storageUnavailableError(new Error('The object is locked.'));
        removed.push(key);
      },
      abortUploads: async () => undefined,
    };
    const logger = { info: () => undefined, warn: () => undefined };
    return removeObjects({ bucket, rows: bench.rows, now: () => bench.time, logger }, signal);
  };

  const keys = (count: number): string[] => Array.from({ length: count }, (_, index) => `00/${index}/upload`);

  it('deletes the objects after one that cannot be deleted, and tries that one again in the next run', async () => {
    await discard('00/a/upload', '00/b/upload', '00/c/upload');
    canRemove = (key) => key !== '00/a/upload';
    should(await run()).equal(2);
    should(await bench.readStates()).deepEqual({ '00/a/upload': 'deleting' });
    await discard('00/d/upload');
    canRemove = () => true;
    should(await run()).equal(2);
    should(removed.toSorted()).deepEqual(['00/a/upload', '00/d/upload']);
    should(await bench.readStates()).deepEqual({});
  });

  it('deletes those behind many that cannot be deleted within some runs', async () => {
    await discard(...keys(35));
    canRemove = (key) => key === '00/34/upload';
    for (let attempt = 0; attempt < 3; attempt++) await run().should.be.rejectedWith({ code: 'STORAGE_UNAVAILABLE' });
    should(removed).be.empty();
    await run().should.be.rejectedWith({ code: 'STORAGE_UNAVAILABLE' });
    should(removed).deepEqual(['00/34/upload']);
  });

  it('ends after ten failures in a row, because the bucket is away', async () => {
    await discard(...keys(30));
    let attempts = 0;
    canRemove = () => {
      attempts += 1;
      return false;
    };
    await run().should.be.rejectedWith({ code: 'STORAGE_UNAVAILABLE' });
    should(attempts).equal(10);
  });

  it('ends when the worker stops', async () => {
    await discard(...keys(3));
    const stopping = new AbortController();
    canRemove = () => {
      stopping.abort(new Error('The worker is stopping.'));
      return true;
    };
    await run(stopping.signal).should.be.rejectedWith('The worker is stopping.');
    should(removed).have.length(1);
  });
});
