import should from 'should';
import type { ClaimedOperation } from '../../../src/service/store/job-queue.js';
import { queuedOperation } from '../../service/support/queued-operation.js';
import { type QueueBench, registerQueueBench } from './support/queue-bench.js';

const MAX_SHARED_ATTEMPTS = 3;

describe('an operation that may run only alone, in the shared queue', () => {
  let bench: QueueBench;
  let id: string;
  registerQueueBench((opened) => (bench = opened));

  beforeEach(async () => {
    id = await add(MAX_SHARED_ATTEMPTS);
  });

  const add = async (attempts = 0): Promise<string> => {
    const row = queuedOperation({ kind: 'analyze', output_id: null, attempts });
    await bench.operations.add(row);
    return row.id;
  };

  /** Claims an operation for a worker that runs another one. */
  const claim = async (): Promise<ClaimedOperation> => {
    const row = await bench.queue.claim(3, MAX_SHARED_ATTEMPTS);
    if (!row) throw new Error('Expected a queued operation.');
    return row;
  };

  const begin = ({ lease = null }: ClaimedOperation, now: number): Promise<boolean> =>
    bench.queue.beginAttempt({ id, lease }, now);

  const find = () => bench.operations.find(id, 'ann');

  it('waits in one worker, and the next one goes to others', async () => {
    const next = await add();
    should(await claim()).match({ id, state: 'running', attempts: 3, isWaiting: true, started_at: null });
    should(await claim()).match({ id: next, attempts: 1, isWaiting: false, started_at: 3 });
  });

  it('runs at once in a worker that runs no other one', async () => {
    should(await bench.queue.claim(3)).match({ id, attempts: 4, isWaiting: false, started_at: 3 });
  });

  it('counts the attempt once when it runs', async () => {
    const claimed = await claim();
    should(await begin(claimed, 5)).be.true();
    should(await begin(claimed, 6)).be.true();
    should(await find()).match({ state: 'running', attempts: 4, started_at: 5 });
  });

  it('counts no attempt of a worker that ends while it waits', async () => {
    const lost = await claim();
    await bench.loseClaim(lost);
    const claimed = await claim();
    should(claimed).match({ id, attempts: 3, isWaiting: true });
    should(await begin(lost, 5)).be.false();
    should(await begin(claimed, 6)).be.true();
    await bench.loseClaim(claimed);
    should(await claim()).match({ id, attempts: 4, isWaiting: true });
  });

  for (const isBegun of [false, true]) {
    it(`counts no attempt of a worker that gives it back ${isBegun ? 'while it runs' : 'while it waits'}`, async () => {
      const claimed = await claim();
      if (isBegun) await begin(claimed, 5);
      await bench.queue.release(id, claimed.lease);
      should(await find()).match({ state: 'queued', attempts: 3, started_at: null });
    });
  }

  it('is not begun once it is completed', async () => {
    const claimed = await claim();
    await bench.operations.complete(id, { isSuccessful: false, error: '{}', report: null }, 4, 4, claimed.lease);
    should(await begin(claimed, 5)).be.false();
    should(await find()).match({ state: 'completed', attempts: 3 });
  });
});
