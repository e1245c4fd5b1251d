import { randomUUID } from 'node:crypto';
import path from 'node:path';
import should from 'should';
import { LIMITS } from '../../../src/service/defaults.js';
import type { RunJob } from '../../../src/service/kernel/kernel-runner.js';
import type { JobOutcome } from '../../../src/service/kernel/messages.js';
import { recoverOperations } from '../../../src/service/operations/recover-operations.js';
import { ServiceError } from '../../../src/service/service-error.js';
import type { Store } from '../../../src/service/store/database.js';
import { createFiles } from '../../../src/service/store/files.js';
import { createJobQueue } from '../../../src/service/store/job-queue.js';
import { createOperations, type Operations } from '../../../src/service/store/operations.js';
import { eventually } from '../../helpers/processes.js';
import { createFolder, removeFolder } from '../support/data-folder.js';
import { registerFileBench } from '../support/file-bench.js';
import { openStore } from '../support/open-store.js';
import { createQuota, createRow, createWorker, logger, runJob } from '../support/worker-setup.js';

describe('the threads of an operation', () => {
  it('are several only if no other operation runs', async () => {
    const folder = await createFolder();
    const store = await openStore(path.join(folder, 'service.db'));
    const operations = createOperations(store);
    const threadCounts: (number | undefined)[] = [];
    const finish: (() => void)[] = [];
    const runJob: RunJob = (_, { threads }) => {
      threadCounts.push(threads);
      return new Promise((resolve) => finish.push(() => resolve({ type: 'done', result: {} })));
    };
    const setup = { folder, store, operations, runJob };
    const worker = await createWorker(setup, await createQuota(setup));
    for (const number of [1, 2]) {
      await operations.add(createRow(0, number));
      worker.wake();
      await eventually(`${number} run`, () => threadCounts.length === number);
    }
    threadCounts.should.deepEqual([2, 1]);
    for (const end of finish) end();
    await worker.close();
    await store.destroy();
    await removeFolder(folder);
  });
});

describe('operations during which the service crashed', () => {
  let folder: string;
  let store: Store;
  let operations: Operations;

  registerFileBench((bench) => ({ folder, store, operations } = bench));

  it('run alone after three crashes', async () => {
    const rows = [createRow(0, 1), createRow(0, 2), createRow(3, 3), createRow(0, 4), createRow(2, 5)];
    for (const row of rows) await operations.add(row);
    const finish: (() => void)[] = [];
    const runJob = (): Promise<JobOutcome> =>
      new Promise((resolve) => finish.push(() => resolve({ type: 'done', result: {} })));
    const setup = { folder, store, operations, runJob };
    const worker = await createWorker(setup, await createQuota(setup));
    const countRunning = async (): Promise<number[]> => [
      ...(await Promise.all(rows.map(({ id }) => operations.find(id, 'me')))).flatMap((row, index) =>
        row?.state === 'running' ? [index] : [],
      ),
    ];
    const finishNext = async (): Promise<void> => {
      await eventually('a job runs', () => finish.length > 0);
      finish.shift()?.();
    };
    const untilRunning = (indices: number[]) =>
      eventually(`${indices} run`, async () => String(await countRunning()) === String(indices));

    worker.wake();
    await untilRunning([0, 1]);
    await finishNext();
    await untilRunning([1]);
    worker.wake();
    await finishNext();
    await untilRunning([2]);
    worker.wake();
    await finishNext();
    await untilRunning([3, 4]);
    await finishNext();
    await finishNext();
    await untilRunning([]);
    await worker.close();
  });

  it('fail after ten crashes, and are requeued before', async () => {
    const rows = [createRow(9, 1, 'running'), createRow(10, 2, 'running')];
    for (const row of rows) await store.insertInto('operation').values(row).execute();
    const queue = createJobQueue(store);
    const dependencies = {
      operations,
      queue,
      maxAttempts: LIMITS.maxAttempts,
      now: Date.now,
      clock: { now: Date.now },
      logger,
    };
    await recoverOperations(await queue.findInterrupted(), dependencies);
    const [requeued, failed] = await Promise.all(rows.map(({ id }) => operations.find(id, 'me')));
    should(requeued).match({ state: 'queued', attempts: 9 });
    should(failed).match({ state: 'completed', is_successful: 0, error: /42208.*10 times/ });
  });
});

describe('operations of two users whose outputs share a quota', () => {
  const OWNERS = ['me', 'you'];
  let folder: string;
  let store: Store;
  let operations: Operations;

  registerFileBench((bench) => ({ folder, store, operations } = bench));

  beforeEach(async () => {
    for (const owner of OWNERS) {
      const row = createRow(0, 1);
      await operations.add({ ...row, owner, kind: 'repair', output_id: randomUUID() });
    }
  });

  const states = async (): Promise<string[]> =>
    (await store.selectFrom('operation').selectAll().orderBy('owner').execute()).map(({ state }) => state);

  const untilCompleted = () =>
    eventually('both are completed', async () => (await states()).every((state) => state === 'completed'));

  const countSuccessful = async (): Promise<number> =>
    (await store.selectFrom('operation').selectAll().where('is_successful', '=', 1).execute()).length;

  it('never store more than the quota, however long a completion takes', async () => {
    const completing: (() => void)[] = [];
    const complete: Operations['complete'] = async (id, completion, ...times) => {
      if (completion.isSuccessful) await new Promise<void>((resolve) => completing.push(resolve));
      return operations.complete(id, completion, ...times);
    };
    const setup = { folder, store, operations: { ...operations, complete }, runJob, quotaBytes: 1000 };
    const worker = await createWorker(setup, await createQuota(setup));
    worker.wake();
    // One is completed as failed while the other has its output, but not its row.
    const isOneCompleted = async (): Promise<boolean> => (await states()).includes('completed');
    await eventually('one is being completed', () => completing.length > 0);
    await eventually('the other is completed', async () => completing.length === 2 || (await isOneCompleted()));
    for (const resume of completing) resume();
    await untilCompleted();
    await worker.close();
    should(await createFiles(store).totalBytes()).equal(600);
    should(await countSuccessful()).equal(1);
  });

  it('release their reservations once they are completed', async () => {
    const setup = { folder, store, operations, runJob, quotaBytes: 2000 };
    const quota = await createQuota(setup);
    const worker = await createWorker(setup, quota);
    worker.wake();
    await untilCompleted();
    await worker.close();
    should(await countSuccessful()).equal(2);
    for (const owner of OWNERS) await quota.reserve(owner, 400);
    await quota.reserve('me', 1).should.be.rejectedWith({ code: 'QUOTA_FULL' });
  });

  it('complete although the state of one cannot be read after its completion failed', async () => {
    const failing = new Set<string>();
    const complete: Operations['complete'] = (id, completion, ...times) => {
      if (failing.size > 0) return operations.complete(id, completion, ...times);
      failing.add(id);
      return Promise.reject(new Error('disk I/O error'));
    };
    const find: Operations['find'] = async (id, owner) => {
      if (failing.delete(id)) {
        failing.add('read');
        throw new Error('disk I/O error');
      }
      return operations.find(id, owner);
    };
    const setup = { folder, store, operations: { ...operations, complete, find }, runJob, quotaBytes: 2000 };
    const quota = await createQuota(setup);
    const worker = await createWorker(setup, quota);
    worker.wake();
    await untilCompleted();
    await worker.close();
    should(await countSuccessful()).equal(1);
    should(await createFiles(store).totalBytes()).equal(600);
    (await quota.reserve('me', 1400)).release();
  });

  it('run again if the object of their output was deleted before their completion', async () => {
    const lost = new Set<string>();
    const complete: Operations['complete'] = async (id, ...completion) => {
      if (lost.has(id)) return operations.complete(id, ...completion);
      lost.add(id);
      throw new ServiceError('STORAGE_UNAVAILABLE', 'The object of the file was deleted meanwhile. Retry later.');
    };
    const setup = { folder, store, operations: { ...operations, complete }, runJob, quotaBytes: 2000 };
    const worker = await createWorker(setup, await createQuota(setup));
    worker.wake();
    await untilCompleted();
    await worker.close();
    should(await countSuccessful()).equal(2);
    const rows = await store.selectFrom('operation').select('attempts').execute();
    should(rows.map(({ attempts }) => attempts)).deepEqual([1, 1]);
  });
});
