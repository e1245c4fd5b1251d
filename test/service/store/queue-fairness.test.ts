import fc from 'fast-check';
import should from 'should';
import type { Store } from '../../../src/service/store/database.js';
import { createJobQueue, type LocalJobQueue } from '../../../src/service/store/job-queue.js';
import { createOperations, type Operations } from '../../../src/service/store/operations.js';
import type { OperationRow } from '../../../src/service/store/schema.js';
import { countOf } from '../../helpers/counts.js';
import { registerFileBench } from '../support/file-bench.js';
import { queuedOperation } from '../support/queued-operation.js';

const RUNS = countOf('series of starts by several users');
const USERS = ['ann', 'bob', 'cleo'];
const PAIRS = [
  ['ann', 'bob'],
  ['ann', 'cleo'],
  ['bob', 'cleo'],
] as const;
const FAILURE = { isSuccessful: false, error: '{}', report: null } as const;

const Step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ owner: fc.constantFrom(...USERS), count: fc.integer({ min: 1, max: 5 }) }) },
  { weight: 6, arbitrary: fc.constant('claim' as const) },
  { weight: 2, arbitrary: fc.constant('requeue' as const) },
  { weight: 3, arbitrary: fc.constant('complete' as const) },
);
type Step = typeof Step extends fc.Arbitrary<infer Value> ? Value : never;

describe('turns in the queue', () => {
  let store: Store;
  let operations: Operations;
  let queue: LocalJobQueue;

  registerFileBench((bench) => ({ store } = bench));

  beforeEach(async () => {
    queue = createJobQueue(store);
    operations = createOperations(store, queue);
  });

  /** Does a step. Returns how the number of turns of a user changes. */
  const perform = async (
    step: Step,
    running: OperationRow[],
  ): Promise<{ owner: string; turns: number } | undefined> => {
    if (typeof step === 'object') {
      for (let count = 0; count < step.count; count++) await operations.add(queuedOperation({ owner: step.owner }));
      return undefined;
    }
    if (step === 'complete') {
      const row = running.shift();
      if (row) await operations.complete(row.id, FAILURE, 1, 1);
      return undefined;
    }
    const row = step === 'claim' ? await queue.claim(1) : running.pop();
    if (!row) return undefined;
    if (step === 'claim') running.push(row);
    else {
      await queue.release(row.id);
      queue.charge(row.owner, 0);
    }
    return { owner: row.owner, turns: step === 'claim' ? 1 : -1 };
  };

  /** Counts the waiting operations of each user, and compares the counters with them. */
  const countWaiting = async (): Promise<Map<string, number>> => {
    const rows = await store.selectFrom('operation').select('owner').where('state', '=', 'queued').execute();
    const counts = new Map(USERS.map((user) => [user, rows.filter(({ owner }) => owner === user).length]));
    const { waiting } = await store.selectFrom('queue').select('waiting').executeTakeFirstOrThrow();
    should(waiting).equal(rows.length);
    for (const row of await store.selectFrom('user_queue').selectAll().execute()) {
      should(row.waiting).equal(counts.get(row.owner));
    }
    return counts;
  };

  it('give users whose operations wait the same time, but for the longest operation of each', async () => {
    const costs = fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: 60, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(costs, async (each) => {
        await store.deleteFrom('operation').execute();
        queue = createJobQueue(store);
        operations = createOperations(store, queue);
        await queue.recount();
        for (const owner of USERS) {
          for (let count = 0; count < each.length; count++) await operations.add(queuedOperation({ owner }));
        }
        const usedMs = new Map(USERS.map((user) => [user, 0]));
        for (const ms of each) {
          const { owner } = (await queue.claim(1)) ?? { owner: 'nobody' };
          queue.charge(owner, ms);
          usedMs.set(owner, (usedMs.get(owner) ?? 0) + ms);
          should(Math.max(...usedMs.values()) - Math.min(...usedMs.values())).be.belowOrEqual(Math.max(...each));
        }
      }),
      { numRuns: Math.ceil(RUNS / 10) },
    );
  });

  it('differ by at most two between users whose operations wait, and the counters are right', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(Step, { maxLength: 60 }), async (steps) => {
        await store.deleteFrom('operation').execute();
        await queue.recount();
        const running: OperationRow[] = [];
        const turns = new Map(USERS.map((user) => [user, 0]));
        const leadOf = (one: string, other: string): number => (turns.get(one) ?? 0) - (turns.get(other) ?? 0);
        /** pair of users → the lead of the first when one of them did not wait */
        const firstLeads = new Map<readonly string[], number>();
        for (const step of steps) {
          const change = await perform(step, running);
          if (change) turns.set(change.owner, (turns.get(change.owner) ?? 0) + change.turns);
          const waiting = await countWaiting();
          for (const pair of PAIRS) {
            const lead = leadOf(pair[0], pair[1]);
            const firstLead = firstLeads.get(pair) ?? 0;
            if (pair.every((user) => waiting.get(user) !== 0)) should(Math.abs(lead - firstLead)).be.belowOrEqual(2);
            else firstLeads.set(pair, lead);
          }
        }
      }),
      { numRuns: RUNS },
    );
  });
});
