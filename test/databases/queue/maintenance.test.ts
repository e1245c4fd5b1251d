import { sql } from 'kysely';
import type { PgBoss } from 'pg-boss';
import should from 'should';
import { startMaintenance } from '../../../src/service/database-mode/maintenance.js';
import { createLogger } from '../../../src/service/logger.js';
import type { Store } from '../../../src/service/store/database.js';
import type { JobQueue } from '../../../src/service/store/job-queue.js';
import { createOperations } from '../../../src/service/store/operations.js';
import type { OperationRow } from '../../../src/service/store/schema.js';
import { maintainQueue } from '../../../src/service/store/shared/maintain-queue.js';
import { OPERATION_QUEUE } from '../../../src/service/store/shared/shared-job-queue.js';
import { eventually } from '../../helpers/processes.js';
import { queuedOperation } from '../../service/support/queued-operation.js';
import { registerQueueBench } from './support/queue-bench.js';

const HOUR_MS = 60 * 60 * 1000;
const START = 10 * HOUR_MS;
const logger = createLogger('silent');

describe('the maintenance of the shared queue', () => {
  let store: Store;
  let boss: PgBoss;
  let queue: JobQueue;
  registerQueueBench((bench) => ({ store, boss, queue } = bench));

  const add = async (more: Partial<OperationRow>): Promise<string> => {
    const row = queuedOperation({ created_at: START, ...more });
    await createOperations(store, queue).add(row);
    return row.id;
  };

  const claimAll = async (): Promise<string[]> => {
    const ids: string[] = [];
    for (let row = await queue.claim(START); row; row = await queue.claim(START)) ids.push(row.id);
    return ids;
  };

  const maintainAt = (now: number): Promise<void> => maintainQueue({ store, boss, now: () => now });

  it('lets low operations run before later ones once they have waited for an hour', async () => {
    const [low, laterLow] = [await add({ priority: 'low' }), await add({ priority: 'low', created_at: START + 1 })];
    const normal = await add({ owner: 'bob' });
    await maintainAt(START + HOUR_MS);
    const late = await add({ owner: 'bob', created_at: START + HOUR_MS });
    should(await claimAll()).eql([low, normal, late, laterLow]);
    const { rows } = await sql<{ waiting: number }>`select sum(waiting)::int as waiting from user_queue`.execute(store);
    should(rows[0]?.waiting).equal(0);
  });

  it('sends the jobs again that were deleted, of queued and of running operations', async () => {
    const running = await add({ owner: 'ann' });
    const claim = await queue.claim(START);
    const queued = await add({ owner: 'bob' });
    const kept = await add({ owner: 'eve' });
    for (const id of [running, queued]) await boss.deleteJob(OPERATION_QUEUE, id);
    should(await queue.keepAlive([{ id: running, lease: claim?.lease ?? null }])).have.length(1);
    await maintainAt(START + HOUR_MS);
    should(new Set(await claimAll())).eql(new Set([running, queued, kept]));
    should(await createOperations(store, queue).find(running, 'ann')).match({ state: 'running', attempts: 2 });
  });

  it('sends no job again that a worker has claimed', async () => {
    await add({});
    await queue.claim(START);
    await maintainAt(START + HOUR_MS);
    should(await claimAll()).be.empty();
  });

  it('ends between two operations when it is aborted, and does the rest in the next run', async () => {
    const ids = [await add({}), await add({})];
    for (const id of ids) await boss.deleteJob(OPERATION_QUEUE, id);
    const stopping = new AbortController();
    const sent: unknown[] = [];
    const send: PgBoss['send'] = async (...parameters: unknown[]) => {
      sent.push(parameters);
      stopping.abort(new Error('The worker is stopping.'));
      return null;
    };
    const interrupted = { store, boss: { send } as PgBoss, now: () => START + HOUR_MS }; // nothing else of it is used
    await maintainQueue(interrupted, stopping.signal).should.be.rejectedWith('The worker is stopping.');
    should(sent).have.length(1);
    await maintainAt(START + HOUR_MS);
    should(new Set(await claimAll())).eql(new Set(ids));
  });

  it('forgets the turns of users that say nothing any more', async () => {
    for (const owner of ['ann', 'bob', 'bob', 'bob']) await add({ owner });
    await claimAll();
    await add({ owner: 'eve' });
    await maintainAt(START);
    const rows = await store.selectFrom('user_queue').select('owner').orderBy('owner').execute();
    should(rows.map(({ owner }) => owner)).eql(['bob', 'eve']);
  });

  it('keeps the order after more operations than a job has priorities for', async () => {
    const [first, second, low] = [await add({}), await add({}), await add({ priority: 'low' })];
    for (const tag of [1.5e9, 3e9]) {
      await store.updateTable('queue').set({ normal_tag: tag, low_tag: tag }).execute();
      await maintainAt(START);
    }
    const [laterLow, later] = [await add({ owner: 'bob', priority: 'low' }), await add({ owner: 'bob' })];
    const released = await queue.claim(START);
    should(released?.id).equal(first);
    await queue.release(first, released?.lease);
    queue.charge('ann', 0);
    await maintainAt(START);
    should(await claimAll()).eql([first, later, second, laterLow, low]);
  });

  it('is done by one of two processes in each interval, although one of its tasks fails', async () => {
    const intervalMs = 2000;
    const slotOf = (time: number): number => Math.floor(time / intervalMs);
    const startedAt = Date.now();
    let count = 0;
    const tasks = [
      () => Promise.reject(new Error('The bucket is not available.')),
      async () => {
        count += 1;
      },
    ];
    const ends = [1, 2].map(() => startMaintenance({ boss, intervalMs, tasks, logger }));
    try {
      await eventually('two runs', () => count >= 2);
      should(count).be.belowOrEqual(slotOf(Date.now()) - slotOf(startedAt) + 1);
    } finally {
      await Promise.all(ends.map((end) => end()));
    }
    const { rows } = await sql<{ count: number }>`
      select count(*)::int from pgboss.job where name = 'maintenance' and state = 'active'`.execute(store);
    should(rows[0]?.count).equal(0);
  });

  it('ends after the current task', async () => {
    const done: string[] = [];
    let resume = (): void => undefined;
    const tasks = [
      async (signal: AbortSignal) => {
        done.push('first');
        await new Promise<void>((resolve) => {
          resume = resolve;
        });
        should(signal.aborted).be.true();
      },
      async () => void done.push('second'),
    ];
    const end = startMaintenance({ boss, intervalMs: 1000, tasks, logger });
    await eventually('the first task runs', () => done.length > 0);
    const ended = end();
    resume();
    await ended;
    should(done).eql(['first']);
  });
});
