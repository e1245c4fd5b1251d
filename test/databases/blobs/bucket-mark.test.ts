import should from 'should';
import { assertBucketOwner, type MarkedBucket } from '../../../src/service/blobs/s3/assert-bucket-owner.js';
import { StartError } from '../../../src/service/start-error.js';

const MINUTE = 60_000;
// All orders of the first steps of two processes; then each ends in turn.
const ORDERED_STEPS = 10;

/** A bucket in memory whose requests take effect in a given order of the processes that send them. */
class OrderedBucket {
  readonly objects = new Map<string, { text: string; modifiedAt: number }>();
  time = 0;
  readonly #waiting = new Map<string, () => void>();

  /** Returns the bucket as a process sees it. Each request waits for `step`. */
  openAs(process: string): MarkedBucket {
    const send = async <T>(request: () => T): Promise<T> => {
      await new Promise<void>((resolve) => this.#waiting.set(process, resolve));
      return request();
    };
    return {
      getText: (key) => send(() => this.objects.get(key)?.text),
      put: (key, bytes) => send(() => void this.objects.set(key, { text: String(bytes), modifiedAt: this.time })),
      list: async function* (this: OrderedBucket, { start = '' } = {}) {
        yield await send(() =>
          [...this.objects].flatMap(([key, { text, modifiedAt }]) =>
            key.startsWith(start) ? [{ key, size: text.length, modifiedAt }] : [],
          ),
        );
      }.bind(this),
      remove: (key) => send(() => void this.objects.delete(key)),
    };
  }

  /** Lets the waiting request of a process take effect. Returns false if it has none. */
  async step(process: string): Promise<boolean> {
    const resume = this.#waiting.get(process);
    this.#waiting.delete(process);
    resume?.();
    await new Promise((resolve) => setImmediate(resolve)); // the process goes on to its next request
    return resume !== undefined;
  }
}

const times = { pause: () => Promise.resolve(), monotonicNow: () => 0 };

async function findOutcome(bucket: OrderedBucket, process: string, storeId: string): Promise<string> {
  try {
    await assertBucketOwner(bucket.openAs(process), storeId, times);
    return 'accepted';
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    return error.code;
  }
}

/** Runs two processes in this order of their steps. Resolves with their outcomes. */
async function runInOrder(bucket: OrderedBucket, stores: [string, string], order: number): Promise<string[]> {
  const ended = stores.map((store, index) => findOutcome(bucket, String(index), store));
  await new Promise((resolve) => setImmediate(resolve));
  for (let step = 0; step < ORDERED_STEPS; step++) await bucket.step(String((order >> step) & 1));
  for (const process of ['0', '1']) while (await bucket.step(process));
  return Promise.all(ended);
}

describe('assertBucketOwner, in every order of the requests', () => {
  it('lets one of two stores mark an empty bucket', async () => {
    for (let order = 0; order < 2 ** ORDERED_STEPS; order++) {
      const bucket = new OrderedBucket();
      const outcomes = await runInOrder(bucket, ['one', 'two'], order);
      should(new Set(outcomes)).deepEqual(new Set(['accepted', 'BUCKET_FOREIGN']));
      const owner = outcomes[0] === 'accepted' ? 'one' : 'two';
      should([...bucket.objects].map(([key, { text }]) => [key, text])).deepEqual([['store-id', `${owner}\n`]]);
    }
  });

  it('accepts two processes of the same store', async () => {
    for (let order = 0; order < 2 ** ORDERED_STEPS; order++) {
      const bucket = new OrderedBucket();
      should(await runInOrder(bucket, ['one', 'one'], order)).deepEqual(['accepted', 'accepted']);
    }
  });

  for (const [ageMs, outcome] of [
    [MINUTE, 'BUCKET_FOREIGN'],
    [11 * MINUTE, 'accepted'],
  ] as const) {
    it(`replies ${outcome} if another store has announced itself ${ageMs / MINUTE} min ago, and ended`, async () => {
      const bucket = new OrderedBucket();
      bucket.time = 20 * MINUTE;
      bucket.objects.set('store-candidates/two/process', { text: '', modifiedAt: bucket.time - ageMs });
      const ended = findOutcome(bucket, '0', 'one');
      await new Promise((resolve) => setImmediate(resolve));
      while (await bucket.step('0'));
      should(await ended).equal(outcome);
    });
  }

  it('ends the pause between two attempts when it is aborted', async () => {
    const bucket = new OrderedBucket();
    bucket.objects.set('store-candidates/two/process', { text: '', modifiedAt: 0 });
    const stopping = new AbortController();
    const pause = (signal: AbortSignal): Promise<void> =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
    const ended = assertBucketOwner(bucket.openAs('0'), 'one', { ...times, pause, signal: stopping.signal });
    await new Promise((resolve) => setImmediate(resolve));
    while (await bucket.step('0'));
    stopping.abort(new Error('The worker is stopping.'));
    await should(ended).be.rejectedWith('The worker is stopping.');
    should(bucket.objects.has('store-id')).be.false();
  });
});
