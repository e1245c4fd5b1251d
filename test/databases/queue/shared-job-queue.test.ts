import { randomUUID } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { sql } from 'kysely';
import type { PgBoss } from 'pg-boss';
import should from 'should';
import { migrateDatabase } from '../../../src/service/database-mode/open-backend.js';
import { createLogger } from '../../../src/service/logger.js';
import { createCancellations } from '../../../src/service/store/cancellations.js';
import type { Store } from '../../../src/service/store/database.js';
import type { ClaimedOperation, JobQueue } from '../../../src/service/store/job-queue.js';
import {
  type Completion,
  createOperations,
  type NewOperation,
  type Operations,
} from '../../../src/service/store/operations.js';
import { openPostgres } from '../../../src/service/store/postgres.js';
import type { Priority } from '../../../src/service/store/schema.js';
import { openBoss } from '../../../src/service/store/shared/open-boss.js';
import { createSharedJobQueue } from '../../../src/service/store/shared/shared-job-queue.js';
import { createStatistics } from '../../../src/service/store/statistics.js';
import { eventually } from '../../helpers/processes.js';
import { type QueueBench, registerQueueBench } from './support/queue-bench.js';

const FAILURE: Completion = { isSuccessful: false, error: '{}', report: null };
const TIME = { now: 5, retainedFrom: 5 };
const logger = createLogger('silent');

function operationOf(owner: string, priority: Priority = 'normal'): NewOperation {
  return {
    ...{ id: randomUUID(), owner, kind: 'analyze', state: 'queued', priority, input_id: 'input', output_id: null },
    ...{
      filename: 'a.stl',
      parameters: '{}',
      is_successful: null,
      result: null,
      report: null,
      error: null,
      attempts: 0,
    },
    ...{ progress: null, created_at: 1, started_at: null, finished_at: null, retained_from: null, callback_url: null },
    ...{ callback_state: 'none', callback_attempts: 0, callback_next_at: null, input_hash: null, kernel: null },
  };
}

function exposeGarbageCollector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc');
}

describe('the shared queue', () => {
  let bench: QueueBench;
  let store: Store;
  let boss: PgBoss;
  let queue: JobQueue;
  let operations: Operations;
  registerQueueBench((opened) => {
    bench = opened;
    ({ store, boss, queue, operations } = opened);
  });

  const add = async (owner: string, priority?: Priority): Promise<string> => {
    const operation = operationOf(owner, priority);
    await operations.add(operation);
    return operation.id;
  };

  const claim = async (): Promise<ClaimedOperation> => {
    const row = await queue.claim(2);
    if (!row) throw new Error('Expected a queued operation.');
    return row;
  };

  const countOf = async (owner: string): Promise<number> => {
    const row = await store.selectFrom('user_queue').select('waiting').where('owner', '=', owner).executeTakeFirst();
    return Number(row?.waiting);
  };

  it('gives each operation to one of many claims at the same time', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, (_, index) => add(`user ${index % 3}`)));
    const claimed = await Promise.all(Array.from({ length: 25 }, () => queue.claim(2)));
    claimed
      .flatMap((row) => (row ? [row.id] : []))
      .sort()
      .should.eql(ids.sort());
  });

  it('lets users take turns, also if they start many operations at the same time', async () => {
    await Promise.all(Array.from({ length: 30 }, () => add('a')));
    await Promise.all(Array.from({ length: 3 }, () => add('b')));
    await add('c', 'low');
    const owners: string[] = [];
    for (let count = 0; count < 34; count++) owners.push((await claim()).owner);
    owners.slice(0, 6).sort().should.eql(['a', 'a', 'a', 'b', 'b', 'b']);
    should(owners.at(-1)).equal('c');
    const { rows } = await sql<{ count: number }>`select count(distinct tag) from operation where owner = 'a'`.execute(
      store,
    );
    should(rows[0]?.count).equal(30);
  });

  it('gives turns by time, also by the time that operations in another process used', async () => {
    const other = createSharedJobQueue(store, boss);
    for (const owner of ['ann', 'bob']) for (let count = 0; count < 5; count++) await add(owner);
    const owners: (string | undefined)[] = [];
    const claimFrom = async (from: JobQueue, usedMs: number): Promise<void> => {
      const { owner } = (await from.claim(2)) ?? { owner: '' };
      from.charge(owner, usedMs);
      owners.push(owner);
    };
    await claimFrom(queue, 60_000);
    for (const from of [queue, other, queue, other]) await claimFrom(from, 10);
    await add('cleo');
    for (const from of [queue, other]) await claimFrom(from, 120_000);
    await claimFrom(other, 10);
    should(owners.join(' ')).equal('ann bob bob bob bob cleo bob ann');
  });

  it('lets only a user without a running operation have one beside others, if one of these has used more time', async () => {
    const other = createSharedJobQueue(store, boss);
    for (const owner of ['ann', 'ann', 'bob', 'bob']) await add(owner);
    should((await other.claim(2))?.owner).equal('ann');
    const beside = (usedMs: number) => queue.claimBeside(2, new Map([['ann', usedMs]]), 3);
    should(await beside(-100)).be.undefined();
    const claimed = await beside(1000);
    should([claimed?.row.owner, claimed?.suspendedOwner]).deepEqual(['bob', 'ann']);
    should(claimed?.row).match({ state: 'running', attempts: 1 });
    should(await beside(1000)).be.undefined();
    await add('cleo', 'low');
    await operations.add({ ...operationOf('dora'), attempts: 3 });
    should(await beside(1000)).be.undefined();
    await Promise.all(['eve', 'fay'].map((owner) => add(owner)));
    const both = await Promise.all([beside(1000), other.claimBeside(2, new Map([['bob', 1000]]), 3)]);
    should(new Set(both.map((each) => each?.row.owner)).size).equal(2);
  });

  it('never queues more operations than allowed, although many users start some at the same time', async () => {
    const limited = createSharedJobQueue(store, boss, { limits: { maxQueued: 10, maxQueuedPerUser: 3 } });
    const starts = Array.from({ length: 30 }, (_, index) =>
      createOperations(store, limited).add(operationOf(`user ${index}`)),
    );
    const outcomes = await Promise.allSettled(starts);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') should(outcome.reason).have.property('code', 'QUEUE_FULL');
    }
    should(outcomes.filter(({ status }) => status === 'fulfilled')).have.length(10);
    await claim();
    await createOperations(store, limited).add(operationOf('user 0'));
  });

  it('refuses what a lost claim writes, and accepts the next claim', async () => {
    const id = await add('a');
    const first = await claim();
    await bench.loseClaim(first);
    const second = await claim();
    should(second).match({ id, attempts: 2, state: 'running' });
    should(await operations.complete(id, FAILURE, 3, 3, first.lease)).be.false();
    await queue.release(id, first.lease);
    should(await operations.find(id, 'a')).match({ state: 'running', lease: second.lease });
    should(await operations.complete(id, FAILURE, 3, 3, second.lease)).be.true();
    should(await queue.claim(4)).be.undefined();
  });

  it('tells which claims are lost: to another claim, to a late heartbeat, and to a cancellation', async () => {
    for (let count = 0; count < 4; count++) await add('a');
    const claims = [await claim(), await claim(), await claim(), await claim()] as const;
    const claimsInUse = claims.map(({ id, lease = null }) => ({ id, lease }));
    should(await queue.keepAlive(claimsInUse)).eql([]);
    await bench.loseClaim(claims[0]);
    await claim();
    await bench.loseClaim(claims[1]);
    await createCancellations(store, queue).cancel(claims[2].id, 'a', TIME);
    should(await queue.keepAlive(claimsInUse)).eql(claimsInUse.slice(0, 3));
  });

  it('stores the progress of all claims with the renewal', async () => {
    const id = await add('a');
    const { lease = null } = await claim();
    const claimInUse = { id, lease };
    await queue.setProgress(claimInUse, 0.25);
    should(await operations.find(id, 'a')).match({ progress: null });
    await queue.keepAlive([claimInUse]);
    should(await operations.find(id, 'a')).match({ progress: 0.25 });
  });

  it('keeps nothing of operations that end before their first renewal', async () => {
    const collectGarbage = exposeGarbageCollector();
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    for (let count = 0; count < 100_000; count++) await queue.setProgress({ id: 'short', lease: randomUUID() }, 0.5);
    collectGarbage();
    // An entry for each would take 20 MiB or more. What else the process has allocated meanwhile takes some, too.
    should(process.memoryUsage().heapUsed - before).be.below(10 * 1024 ** 2);
  });

  it('requeues a released operation in its place, without counting the attempt', async () => {
    const ids = [await add('a'), await add('a')];
    const { id, lease } = await claim();
    should(await countOf('a')).equal(1);
    await queue.release(id, lease);
    should(await countOf('a')).equal(2);
    should(await claim()).match({ id: ids[0], attempts: 1 });
  });

  it('completes queued and running operations that are cancelled, and never gives them to a worker', async () => {
    const [running, queued] = [await add('a'), await add('a')];
    await claim();
    const cancellations = createCancellations(store, queue);
    for (const id of [running, queued]) should(await cancellations.cancel(id, 'a', TIME)).be.true();
    should(await countOf('a')).equal(0);
    should(await queue.claim(3)).be.undefined();
  });

  it('refuses a start beyond the limits, which leaves nothing behind', async () => {
    const limited = createSharedJobQueue(store, boss, { limits: { maxQueuedPerUser: 2, maxQueued: 3 } });
    const { add: addLimited } = createOperations(store, limited);
    for (const owner of ['a', 'a', 'b']) await addLimited(operationOf(owner));
    await addLimited(operationOf('a')).should.be.rejectedWith({ code: 'USER_QUEUE_FULL' });
    await addLimited(operationOf('c')).should.be.rejectedWith({ code: 'QUEUE_FULL' });
    should(await countOf('a')).equal(2);
    for (let count = 0; count < 3; count++) await claim();
    should(await queue.claim(3)).be.undefined();
  });

  it('refuses a start beyond the limit of its user, however much room all users have', async () => {
    const limited = createSharedJobQueue(store, boss, { limits: { maxQueuedPerUser: 1, maxQueued: 100_000 } });
    const { add: addLimited } = createOperations(store, limited);
    await addLimited(operationOf('a'));
    await addLimited(operationOf('a')).should.be.rejectedWith({ code: 'USER_QUEUE_FULL' });
    await addLimited(operationOf('b'));
  });

  it('begins an operation not before its creation, whatever the clock of its worker says', async () => {
    for (const attempts of [0, 3]) await operations.add({ ...operationOf('a'), created_at: 50, attempts });
    const [first, alone] = [await queue.claim(2, 3), await queue.claim(2, 3)];
    should(first).match({ started_at: 50, isWaiting: false });
    should(alone).match({ started_at: null, isWaiting: true });
    await queue.beginAttempt({ id: alone?.id ?? '', lease: alone?.lease ?? null }, 2);
    should(await operations.find(alone?.id ?? '', 'a')).match({ started_at: 50 });
  });

  it('counts the operations that are queued and running', async () => {
    for (const owner of ['a', 'a', 'b']) await add(owner);
    await claim();
    should(await createStatistics(store).read()).match({ queuedCount: 2, runningCount: 1, oldestQueuedAt: 1 });
  });

  it('gives up all claims that could not be renewed for 10 s', async () => {
    let time = 0;
    const own = createSharedJobQueue(store, boss, { monotonicNow: () => time });
    const id = await add('a');
    const { lease = null } = (await own.claim(2)) ?? {};
    const claims = [{ id, lease }];
    await bench.server.halt();
    try {
      time = 9000;
      await own.keepAlive(claims).should.be.rejectedWith({ code: 'DATABASE_UNAVAILABLE' });
      time = 10_001;
      should(await own.keepAlive(claims)).eql(claims);
    } finally {
      await bench.server.resume();
    }
    should(await own.keepAlive(claims)).eql([]);
  });

  it('is created once by six processes that start at the same time', async () => {
    const url = await bench.server.createDatabase(randomUUID());
    await Promise.all(Array.from({ length: 6 }, () => migrateDatabase({ database: { url }, logger })));
    const other = await openPostgres({ url, migrates: false, logger });
    await openBoss(other, logger).should.be.fulfilled();
    await other.destroy();
  });

  it('is supervised by each worker: a job without heartbeat is claimed again', async () => {
    const id = await add('a');
    await claim();
    await boss.start();
    try {
      await eventually('the operation is claimed again', async () => (await queue.claim(3))?.id === id);
    } finally {
      await boss.stop({ graceful: false });
    }
  });
});
