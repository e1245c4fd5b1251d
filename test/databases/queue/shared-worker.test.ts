import { randomUUID } from 'node:crypto';
import should from 'should';
import { openBlobFolder } from '../../../src/service/blobs/blob-folder.js';
import { LIMITS } from '../../../src/service/defaults.js';
import type { JobTurn } from '../../../src/service/kernel/job-turn.js';
import type { JobOutcome } from '../../../src/service/kernel/messages.js';
import { createLogger } from '../../../src/service/logger.js';
import { abortable } from '../../../src/service/machine/abortable.js';
import { Worker } from '../../../src/service/operations/worker.js';
import { createCancellations } from '../../../src/service/store/cancellations.js';
import type { Store } from '../../../src/service/store/database.js';
import { createFiles } from '../../../src/service/store/files.js';
import type { JobQueue } from '../../../src/service/store/job-queue.js';
import type { Operations } from '../../../src/service/store/operations.js';
import { OPERATION_QUEUE } from '../../../src/service/store/shared/shared-job-queue.js';
import { eventually } from '../../helpers/processes.js';
import { useFolder } from '../../service/support/data-folder.js';
import { queuedOperation } from '../../service/support/queued-operation.js';
import { type QueueBench, registerQueueBench } from './support/queue-bench.js';

/** A worker of two operations at a time, and what ends the jobs that it runs, by the filename of the operation. */
interface TestWorker {
  /** The turns of its jobs, by the filename of the operation. */
  turns: Map<string, JobTurn>;
  worker: Worker;
  jobs: Map<string, () => void>;
  messages: unknown[];
  /** Whether each claim was repeated, and `fenced` for each completion that was refused. */
  counted: (boolean | 'fenced')[];
}

describe('workers that share a queue', () => {
  let bench: QueueBench;
  let store: Store;
  let queue: JobQueue;
  let operations: Operations;
  let folder: string;
  let workers: TestWorker[];

  useFolder((created) => (folder = created));

  beforeEach(async () => {
    workers = [];
  });

  afterEach(() => Promise.all(workers.map(({ worker }) => worker.close())));

  // Its hooks follow: the workers end before the store.
  registerQueueBench((opened) => {
    bench = opened;
    ({ store, queue, operations } = opened);
  });

  const createWorker = async (cancellationCheckMs = 20): Promise<TestWorker> => {
    const jobs: TestWorker['jobs'] = new Map();
    const turns: TestWorker['turns'] = new Map();
    const messages: unknown[] = [];
    const counted: TestWorker['counted'] = [];
    const target = { write: (line: string) => void messages.push(JSON.parse(line).msg) };
    const worker = new Worker({
      ...{ operations, queue, files: createFiles(store), blobs: await openBlobFolder(folder), workers: 2 },
      ...{ maxSuspended: 1, limits: { ...LIMITS, cancellationCheckMs, suspensionCheckMs: 1, minRunMs: 1 } },
      ...{ now: Date.now, clock: { now: Date.now }, logger: createLogger('info', target) },
      damage: { record: () => Promise.resolve() },
      storageQuota: { reserve: () => Promise.reject(new Error('Nothing is stored.')) },
      runJob: ({ filename }, { signal, turn }) => {
        if (turn) turns.set(filename, turn);
        const job = new Promise<JobOutcome>((resolve) =>
          jobs.set(filename, () => resolve({ type: 'done', result: {} })),
        );
        return abortable(job, signal);
      },
      onCompleted: () => undefined,
      metrics: {
        countClaim: ({ isRepeated }) => counted.push(isRepeated),
        countFencedCompletion: () => counted.push('fenced'),
        setStoringCount: () => undefined,
      },
    });
    workers.push({ worker, jobs, turns, messages, counted });
    return { worker, jobs, turns, messages, counted };
  };

  const add = async (filename: string, attempts = 0, owner = 'ann'): Promise<string> => {
    const row = queuedOperation({ kind: 'analyze', output_id: null, filename, attempts, owner });
    await operations.add(row);
    return row.id;
  };

  /** Waits until these jobs have begun, in any order: each waits for its input on a connection of its own. */
  const untilJobs = ({ jobs }: TestWorker, names: string[]) =>
    eventually(`${names} run`, () => jobs.size === names.length && names.every((name) => jobs.has(name)));

  it('suspend a long operation, in one of them only, for that of a user with none running', async () => {
    const both = [await createWorker(), await createWorker()];
    for (const name of ['a', 'b', 'c', 'd', 'e']) await add(name);
    for (const { worker } of both) worker.wake();
    await eventually('four run', () => both.reduce((sum, { jobs }) => sum + jobs.size, 0) === 4);
    await add('other', 0, 'bob');
    const found = await eventually('the other runs', () => both.find(({ jobs }) => jobs.has('other')));
    const suspended = both.flatMap(({ turns }) => [...turns].filter(([, { isSuspended }]) => isSuspended));
    should(suspended).have.length(1);
    const [name = ''] = suspended[0] ?? [];
    should([...found.turns.keys()]).containEql(name);
    found.jobs.get('other')?.();
    await eventually('it is resumed', () => !found.turns.get(name)?.isSuspended);
    should(both.some(({ jobs }) => jobs.has('e'))).equal(false);
  });

  it('wait for one operation that runs alone in one of them only', async () => {
    const [first, second] = [await createWorker(), await createWorker()];
    for (const name of ['a', 'b']) {
      await add(name);
      const worker = name === 'a' ? first : second;
      worker.worker.wake();
      await untilJobs(worker, [name]);
    }
    const id = await add('alone', LIMITS.maxSharedAttempts);
    await add('c');
    await add('d');
    first.worker.wake();
    await eventually('it is claimed', async () => (await operations.find(id, 'ann'))?.state === 'running');
    should(await operations.find(id, 'ann')).match({ attempts: LIMITS.maxSharedAttempts, started_at: null });
    second.worker.wake();
    await untilJobs(second, ['b', 'c']);
    first.worker.wake();
    first.jobs.get('a')?.();
    await untilJobs(first, ['a', 'alone']);
    first.worker.wake();
    first.jobs.get('alone')?.();
    await untilJobs(first, ['a', 'alone', 'd']);
    should(await operations.find(id, 'ann')).match({ is_successful: 1, attempts: LIMITS.maxSharedAttempts + 1 });
  });

  it('count redeliveries, and completions that are refused', async () => {
    const test = await createWorker(60_000); // the loss of the claim is not noticed before
    const id = await add('suspended');
    test.worker.wake();
    await untilJobs(test, ['suspended']);
    await store.updateTable('operation').set({ lease: randomUUID() }).where('id', '=', id).execute();
    await bench.boss.fail(OPERATION_QUEUE, id);
    test.jobs.get('suspended')?.();
    await eventually('it is claimed again', () => test.counted.length === 3);
    const [first, ...others] = test.counted;
    should(first).be.false();
    should(new Set(others)).eql(new Set(['fenced', true])); // in any order: a claim does not wait for a completion
  });

  it('tell a lost claim apart from a cancellation', async () => {
    const test = await createWorker();
    const [cancelled, lost] = [await add('cancelled'), await add('lost')];
    test.worker.wake();
    await untilJobs(test, ['cancelled', 'lost']);
    await createCancellations(store, queue).cancel(cancelled, 'ann', { now: 5, retainedFrom: 5 });
    await eventually('it ends', () => test.messages.includes('Cancelled'));
    await store.updateTable('operation').set({ lease: randomUUID() }).where('id', '=', lost).execute();
    await bench.boss.fail(OPERATION_QUEUE, lost);
    await eventually('it ends', () => test.messages.length === 2);
    should(test.messages[1]).equal('Claim lost: another worker may run the operation');
  });
});
