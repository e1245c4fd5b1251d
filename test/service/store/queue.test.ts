import path from 'node:path';
import { sql } from 'kysely';
import should from 'should';
import type { Store } from '../../../src/service/store/database.js';
import { createJobQueue, type LocalJobQueue } from '../../../src/service/store/job-queue.js';
import { MIGRATIONS } from '../../../src/service/store/migrations.js';
import { createOperations, type Operations } from '../../../src/service/store/operations.js';
import type { OperationRow } from '../../../src/service/store/schema.js';
import { createFolder, removeFolder } from '../support/data-folder.js';
import { registerFileBench } from '../support/file-bench.js';
import { isPostgres, openStore } from '../support/open-store.js';
import { queuedOperation } from '../support/queued-operation.js';

const HOUR = 3_600_000;

describe('the queue', () => {
  let folder: string;
  let file: string;
  let store: Store;
  let operations: Operations;
  let queue: LocalJobQueue;

  registerFileBench((bench) => ({ folder, file, store } = bench));

  beforeEach(async () => {
    queue = createJobQueue(store);
    operations = createOperations(store, queue);
  });

  let time = 0;
  const add = async (owner: string, more: Partial<OperationRow> = {}): Promise<string> => {
    time += 1;
    const row = queuedOperation({ owner, created_at: time, ...more });
    await operations.add(row);
    return row.id;
  };
  const addMany = (owner: string, count: number): Promise<string[]> =>
    Promise.all(Array.from({ length: count }, () => add(owner)));
  /** Claims `count` operations. Returns their owners. */
  const claimOwners = async (count: number): Promise<string> => {
    const owners: string[] = [];
    for (let index = 0; index < count; index++) owners.push((await queue.claim(time))?.owner ?? 'nobody');
    return owners.join(' ');
  };
  const readCounters = async () => ({
    queue: await store.selectFrom('queue').selectAll().execute(),
    users: await store.selectFrom('user_queue').selectAll().orderBy('owner').execute(),
  });

  it('runs the operations of one user in the order of their starts', async () => {
    const ids = await addMany('ann', 5);
    for (const id of ids) should((await queue.claim(time))?.id).equal(id);
    should(await queue.claim(time)).be.undefined();
  });

  it('runs the first operation of a user next, although another one has 2,000 waiting', async () => {
    await addMany('bob', 2000);
    should(await claimOwners(2)).equal('bob bob');
    await addMany('ann', 3);
    should(await claimOwners(6)).equal('ann bob ann bob ann bob');
  });

  it('alternates between 100 users who queued everything at once', async () => {
    const users = Array.from({ length: 100 }, (_, index) => `user-${index}`);
    await Promise.all(users.map((user) => addMany(user, 3)));
    for (let round = 0; round < 3; round++) should(await claimOwners(100)).equal(users.join(' '));
  });

  it('does not prefer a user who queues the next operation whenever one was claimed', async () => {
    await addMany('bob', 20);
    await claimOwners(1);
    let claims = '';
    for (let turn = 0; turn < 6; turn++) {
      await add('ann');
      claims += `${await claimOwners(2)} `;
    }
    should(claims.split('ann').length).be.within(5, 8); // 6 of 12 claims
  });

  it('gives turns by time: a user waits who has used more of it than others', async () => {
    await addMany('bob', 20);
    await claimOwners(1);
    await addMany('ann', 20);
    queue.charge('bob', 1000);
    for (let count = 0; count < 9; count++) {
      should(await claimOwners(1)).equal('ann');
      queue.charge('ann', 110);
    }
    should(await claimOwners(2)).equal('ann bob');
  });

  it('lets a user who returns begin with the others, whatever they used meanwhile', async () => {
    await addMany('bob', 20);
    await addMany('ann', 20);
    for (const owner of ['bob', 'ann', 'bob', 'ann']) {
      should(await claimOwners(1)).equal(owner);
      queue.charge(owner, 60_000);
    }
    await addMany('cleo', 20);
    for (const owner of ['cleo', 'bob', 'ann', 'cleo']) {
      should(await claimOwners(1)).equal(owner);
      queue.charge(owner, 60_000);
    }
  });

  it('remembers the time of a user who has nothing waiting', async () => {
    await add('bob');
    await claimOwners(1);
    queue.charge('bob', 60_000);
    await addMany('bob', 2);
    await addMany('ann', 2);
    should(await claimOwners(3)).equal('ann ann bob');
  });

  it('lets only a user without a running operation have one beside others, if one of these has used more time', async () => {
    await addMany('bob', 3);
    await claimOwners(1);
    const beside = async (usedMs: number): Promise<string | undefined> =>
      (await queue.claimBeside(time, new Map([['bob', usedMs]]), 3))?.row.owner;
    should(await beside(60_000)).be.undefined();
    await add('ann', { priority: 'low' });
    await add('cleo', { attempts: 3 });
    should(await beside(60_000)).be.undefined();
    await addMany('ann', 2);
    should(await beside(60_000)).equal('ann');
    should(await beside(60_000)).be.undefined();
    await addMany('dora', 2);
    await queue.claim(time);
    should(await queue.claimBeside(time, new Map(), 3)).be.undefined();
  });

  it('lets no user have an operation beside others who has used as much time', async () => {
    await addMany('ann', 2);
    const first = await queue.claim(time);
    await operations.complete(first?.id ?? '', { isSuccessful: false, error: '{}', report: null }, 1, 1);
    queue.charge('ann', 60_000);
    await addMany('bob', 2);
    should(await claimOwners(1)).equal('bob');
    should(await queue.claimBeside(time, new Map([['bob', 30_000]]), 3)).be.undefined();
    const { row, suspendedOwner } = (await queue.claimBeside(time, new Map([['bob', 90_000]]), 3)) ?? {};
    should([row?.owner, suspendedOwner]).deepEqual(['ann', 'bob']);
  });

  it('runs low operations only while no normal one waits, those of all users in turn', async () => {
    for (const owner of ['bob', 'bob', 'bob', 'ann']) await add(owner, { priority: 'low' });
    should(await claimOwners(1)).equal('bob');
    await addMany('bob', 2);
    await add('ann');
    should(await claimOwners(6)).equal('ann bob bob ann bob bob');
  });

  it('runs a low operation in turn with normal ones once it has waited for an hour', async () => {
    await add('ann', { priority: 'low' });
    await addMany('bob', 4);
    time += HOUR - 6;
    should(await claimOwners(2)).equal('bob bob');
    time += 6;
    should(await claimOwners(2)).equal('ann bob');
  });

  it('makes all low operations normal that have waited for an hour', async () => {
    for (let count = 0; count < 50; count++) await add('bob', { priority: 'low' });
    time += HOUR;
    await claimOwners(3);
    const low = await store.selectFrom('operation').select('id').where('priority', '=', 'low').execute();
    should(low).be.empty();
  });

  it('gives the last place to one of two simultaneous starts', async () => {
    operations = createOperations(store, createJobQueue(store, { maxQueuedPerUser: 3, maxQueued: 5 }));
    await addMany('bob', 2);
    const starts = await Promise.allSettled([add('bob'), add('bob'), add('ann'), add('ann'), add('ann')]);
    const outcomes = starts.map((start) => (start.status === 'fulfilled' ? 'queued' : start.reason.code));
    should(outcomes).deepEqual(['queued', 'USER_QUEUE_FULL', 'queued', 'queued', 'QUEUE_FULL']);
    should(await readCounters()).match({ queue: [{ waiting: 5 }], users: [{ waiting: 2 }, { waiting: 3 }] });
    await claimOwners(1);
    await add('ann').should.be.fulfilled();
  });

  it('keeps the limits over two connections', async () => {
    const limits = { maxQueuedPerUser: 10, maxQueued: 15 };
    const otherStore = await openStore(file);
    const both = [store, otherStore].map((one) => createOperations(one, createJobQueue(one, limits)));
    const starts = both.flatMap((one) =>
      Array.from({ length: 20 }, (_, index) => one.add(queuedOperation({ owner: index % 2 ? 'ann' : 'bob' }))),
    );
    const outcomes = await Promise.allSettled(starts);
    await otherStore.destroy();
    should(outcomes.filter(({ status }) => status === 'fulfilled')).have.length(15);
    should((await readCounters()).queue).match([{ waiting: 15 }]);
  });

  it('names the remedy and the time of a retry when it is full', async () => {
    operations = createOperations(store, createJobQueue(store, { maxQueuedPerUser: 1000, maxQueued: 1001 }));
    await addMany('bob', 1000);
    for (let count = 0; count < 20; count++) {
      time += 1000; // one claim a second
      await claimOwners(1);
      await add('bob');
    }
    await add('bob').should.be.rejectedWith({ code: 'USER_QUEUE_FULL', message: /--queue-per-user/, retryAfterS: 9 });
    await add('ann');
    await add('ann').should.be.rejectedWith({ code: 'QUEUE_FULL', message: /--queue-total/ });
  });

  it('requeues an operation in its place', async () => {
    await addMany('bob', 4);
    await addMany('ann', 4);
    const claimed = [await queue.claim(time), await queue.claim(time), await queue.claim(time)];
    await add('cleo');
    for (const row of claimed.toReversed()) {
      await queue.release(row?.id ?? '');
      queue.charge(row?.owner ?? '', 0);
    }
    should(await claimOwners(5)).equal('bob ann cleo bob ann');
    await queue.requeueInterrupted(claimed[0]?.id ?? '');
    for (const owner of ['bob', 'bob']) queue.charge(owner, 0);
    should((await queue.claim(time))?.id).equal(claimed[0]?.id);
  });

  it('requeues an operation in its place although the queue was empty since', async () => {
    await addMany('bob', 20);
    const rows: (OperationRow | undefined)[] = [];
    for (let count = 0; count < 20; count++) rows.push(await queue.claim(time));
    await addMany('bob', 20);
    await queue.release(rows[19]?.id ?? '');
    should((await queue.claim(time))?.id).equal(rows[19]?.id);
  });

  it('forgets the turns once nobody waits', async () => {
    await addMany('bob', 20);
    await claimOwners(20);
    should(await readCounters()).match({ queue: [{ waiting: 0, normal_tag: 0 }], users: [] });
  });

  it('counts the rows again at a start', async () => {
    await addMany('bob', 10);
    await addMany('ann', 2);
    await add('ann', { priority: 'low' });
    await claimOwners(3);
    const before = await readCounters();
    await queue.recount();
    should(await readCounters()).deepEqual(before);
    await sql`update queue set waiting = 7`.execute(store);
    await sql`update user_queue set waiting = -1`.execute(store);
    await queue.recount();
    should(await readCounters()).deepEqual(before);
    await sql`update queue set normal_tag = 0`.execute(store); // as in a recovered database
    await sql`delete from user_queue`.execute(store);
    await queue.recount();
    await add('cleo');
    should(await claimOwners(4)).match(/cleo/);
  });

  it('is fair to the operations that an earlier version queued', async () => {
    await store.destroy();
    await removeFolder(folder);
    folder = await createFolder();
    const old = await openStore(path.join(folder, 'service.db'), MIGRATIONS.slice(0, 7));
    for (const [index, owner] of ['bob', 'bob', 'bob', 'ann', 'ann'].entries()) {
      const { priority, tag, ...row } = queuedOperation({ owner, created_at: index });
      await sql`insert into operation (${sql.join(Object.keys(row).map((column) => sql.ref(column)))})
        values (${sql.join(Object.values(row))})`.execute(old);
    }
    await old.destroy();
    store = await openStore(path.join(folder, 'service.db'));
    queue = createJobQueue(store);
    operations = createOperations(store, queue);
    await queue.recount();
    should(await claimOwners(5)).equal('bob ann bob ann bob');
  });

  if (!isPostgres) {
    it('finds the next operation by its index', async () => {
      const { rows } = await sql<{ detail: string }>`explain query plan
        select id from operation where state = 'queued' and priority = 'normal' and owner = 'bob'
        order by tag, created_at, rowid limit 1`.execute(store);
      should(rows.map(({ detail }) => detail).join()).match(/USING COVERING INDEX|USING INDEX operation_queue/);
      should(rows.map(({ detail }) => detail).join()).not.match(/TEMP B-TREE/);
    });
  }
});
