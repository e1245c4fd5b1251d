import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import should from 'should';
import { openBlobFolder } from '../../../src/service/blobs/blob-folder.js';
import { Digester } from '../../../src/service/blobs/digest.js';
import { StorageQuota } from '../../../src/service/blobs/storage-quota.js';
import { LIMITS } from '../../../src/service/defaults.js';
import type { RunJob } from '../../../src/service/kernel/kernel-runner.js';
import type { JobOutcome } from '../../../src/service/kernel/messages.js';
import { createLogger } from '../../../src/service/logger.js';
import { recoverOperations } from '../../../src/service/operations/recover-operations.js';
import { Worker, type WorkerDependencies } from '../../../src/service/operations/worker.js';
import type { WorkerMetrics } from '../../../src/service/operations/worker-metrics.js';
import { ServiceError } from '../../../src/service/service-error.js';
import type { Store } from '../../../src/service/store/database.js';
import { createFiles } from '../../../src/service/store/files.js';
import { createIdempotencyKeys } from '../../../src/service/store/idempotency-keys.js';
import { createJobQueue } from '../../../src/service/store/job-queue.js';
import { createOperations, type Operations } from '../../../src/service/store/operations.js';
import type { OperationRow } from '../../../src/service/store/schema.js';
import { createTokens } from '../../../src/service/store/tokens.js';
import { createUsage } from '../../../src/service/store/usage.js';
import { eventually } from '../../helpers/processes.js';
import { createFolder, removeFolder } from '../support/data-folder.js';
import { openStore } from '../support/open-store.js';
import { queuedOperation } from '../support/queued-operation.js';

function operation(attempts: number, createdAt: number, state: OperationRow['state'] = 'queued'): OperationRow {
  const row = { owner: 'me', kind: 'analyze', state, output_id: null, attempts, created_at: createdAt };
  return queuedOperation(row);
}

const logger = createLogger('silent');

interface WorkerSetup extends Pick<WorkerDependencies, 'operations' | 'runJob'> {
  /** Default: that of the store. */
  queue?: WorkerDependencies['queue'];
  folder: string;
  store: Store;
  quotaBytes?: number;
  maxStoring?: number;
  metrics?: WorkerMetrics;
}

/** Creates the quota of a store without a spare file. */
async function createQuota({ folder, store, quotaBytes }: WorkerSetup): Promise<StorageQuota> {
  const stores = { files: createFiles(store), usage: createUsage(store), operations: createOperations(store) };
  const accounts = { tokens: createTokens(store), keys: createIdempotencyKeys(store) };
  const times = { limits: LIMITS, now: Date.now, clock: { now: Date.now } };
  const disk = { folder, blobs: await openBlobFolder(folder), spare: { missingBytes: () => 0 } };
  return new StorageQuota({ ...stores, ...accounts, ...times, ...disk, quotaBytes, logger });
}

/** Creates a worker for two operations at a time. */
async function createWorker(setup: WorkerSetup, storageQuota: Pick<StorageQuota, 'reserve'>): Promise<Worker> {
  return new Worker({
    ...{ operations: setup.operations, files: createFiles(setup.store), blobs: await openBlobFolder(setup.folder) },
    queue: setup.queue ?? createJobQueue(setup.store),
    ...{
      limits: { ...LIMITS, storeRetryMs: 1, cancellationCheckMs: 1 },
      now: Date.now,
      clock: { now: Date.now },
      logger,
    },
    damage: { record: () => Promise.resolve() },
    storageQuota,
    runJob: setup.runJob,
    workers: 2,
    maxStoring: setup.maxStoring ?? 0,
    maxThreads: 2,
    onCompleted: () => undefined,
    ...(setup.metrics && { metrics: setup.metrics }),
  });
}

/** Computes an output of 600 bytes. */
const runJob: RunJob = async ({ outputPath = '' }) => {
  const bytes = 'x'.repeat(600);
  await writeFile(outputPath, bytes);
  const digester = new Digester();
  digester.update(Buffer.from(bytes));
  return { type: 'done', result: {}, output: digester.finish() };
};

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
      await operations.add(operation(0, number));
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

  beforeEach(async () => {
    folder = await createFolder();
    store = await openStore(path.join(folder, 'service.db'));
    operations = createOperations(store);
  });

  afterEach(async () => {
    await store.destroy();
    await removeFolder(folder);
  });

  it('run alone after three crashes', async () => {
    const rows = [operation(0, 1), operation(0, 2), operation(3, 3), operation(0, 4), operation(2, 5)];
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
    const rows = [operation(9, 1, 'running'), operation(10, 2, 'running')];
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

  beforeEach(async () => {
    folder = await createFolder();
    store = await openStore(path.join(folder, 'service.db'));
    operations = createOperations(store);
    for (const owner of OWNERS) {
      const row = operation(0, 1);
      await operations.add({ ...row, owner, kind: 'repair', output_id: randomUUID() });
    }
  });

  afterEach(async () => {
    await store.destroy();
    await removeFolder(folder);
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

describe('a completion that waits', () => {
  let folder: string;
  let store: Store;
  let operations: Operations;
  let row: OperationRow;
  /** Lets the completion go on. */
  let resume: (() => void) | undefined;
  /** The claims of the renewals since the completion waits. */
  let renewals: string[][];
  let worker: Worker;

  beforeEach(async () => {
    folder = await createFolder();
    store = await openStore(path.join(folder, 'service.db'));
    operations = createOperations(store);
    row = { ...operation(0, 1), kind: 'repair', output_id: randomUUID() };
    await operations.add(row);
    [resume, renewals] = [undefined, []];
  });

  afterEach(async () => {
    resume?.();
    await worker.close();
    await store.destroy();
    await removeFolder(folder);
  });

  /** Starts the operation. Resolves when its completion waits. */
  const start = async (isLost: boolean): Promise<void> => {
    const queue = createJobQueue(store);
    const keepAlive: typeof queue.keepAlive = async (claims) => {
      if (!resume) return queue.keepAlive(claims);
      renewals.push(claims.map(({ id }) => id));
      return isLost ? [...claims] : [];
    };
    const complete: Operations['complete'] = async (...completion) => {
      await new Promise<void>((resolve) => (resume = resolve));
      return operations.complete(...completion);
    };
    const setup = {
      ...{ folder, store, runJob },
      ...{ operations: { ...operations, complete }, queue: { ...queue, keepAlive } },
    };
    worker = await createWorker(setup, await createQuota(setup));
    worker.wake();
    await eventually('its completion waits', () => resume !== undefined);
  };

  const untilCompleted = async (): Promise<void> => {
    resume?.();
    await eventually('it is completed', async () => (await operations.find(row.id, 'me'))?.state === 'completed');
  };

  const readOutcome = async () => (await operations.find(row.id, 'me'))?.is_successful;

  it('keeps its claim until it is recorded', async () => {
    await start(false);
    await eventually('the claim is renewed several times', () => renewals.length >= 3);
    for (const ids of renewals) should(ids).eql([row.id]);
    await untilCompleted();
    should(await readOutcome()).equal(1);
  });

  it('is recorded although a renewal says that the claim is lost: its lease decides', async () => {
    await start(true);
    await eventually('the claim is lost', () => renewals.length > 0);
    await untilCompleted();
    should(await readOutcome()).equal(1);
    should(await createFiles(store).totalBytes()).equal(600);
  });

  it('is recorded although its operation is aborted here', async () => {
    await start(false);
    worker.abort([row.id]);
    await untilCompleted();
    should(await readOutcome()).equal(1);
  });
});

describe('a storage that takes its time', () => {
  let folder: string;
  let store: Store;
  let operations: Operations;
  let quota: StorageQuota;
  /** Ends the wait of each output that is being stored. */
  let storing: (() => void)[];
  let started: number;
  let most: number;
  /** How many operations only stored their outputs, whenever that changed. */
  let storingCounts: number[];

  beforeEach(async () => {
    folder = await createFolder();
    store = await openStore(path.join(folder, 'service.db'));
    operations = createOperations(store);
    quota = await createQuota({ folder, store, operations, runJob });
    [storing, started, most, storingCounts] = [[], 0, 0, []];
  });

  afterEach(async () => {
    await store.destroy();
    await removeFolder(folder);
  });

  const add = (attempts: number, createdAt: number) =>
    operations.add({ ...operation(attempts, createdAt), kind: 'repair', output_id: randomUUID() });

  const listRunning = async (): Promise<number[]> => {
    const rows = await store.selectFrom('operation').selectAll().where('state', '=', 'running').execute();
    return rows.map((row) => row.created_at).toSorted((a, b) => a - b);
  };

  const createSlowWorker = (maxStoring: number, recorded = operations) =>
    createWorker(
      {
        ...{ folder, store, operations: recorded, maxStoring },
        metrics: {
          countClaim: () => undefined,
          countFencedCompletion: () => undefined,
          setStoringCount: (count) => storingCounts.push(count),
        },
        runJob: async (...parameters) => {
          started += 1;
          most = Math.max(most, (await listRunning()).length);
          return runJob(...parameters);
        },
      },
      {
        reserve: async (...parameters) => {
          await new Promise<void>((resolve) => storing.push(resolve));
          return quota.reserve(...parameters);
        },
      },
    );

  const untilStoring = (count: number) => eventually(`${count} outputs are stored`, () => storing.length === count);

  /** Lets the outputs be stored until no operation is left. */
  const finish = (worker: Worker) =>
    eventually('all are completed', async () => {
      for (const resume of storing.splice(0)) resume();
      const rows = await store.selectFrom('operation').selectAll().where('state', '!=', 'completed').execute();
      if (rows.length > 0) return false;
      await worker.close();
      return true;
    });

  it('does not keep the next operations waiting, up to a limit', async () => {
    for (let index = 0; index < 6; index++) await add(0, index);
    const worker = await createSlowWorker(2);
    worker.wake();
    await untilStoring(4); // two that have left their places, and two that could not
    should(await listRunning()).eql([0, 1, 2, 3]);
    storing.shift()?.();
    await eventually('the next one starts', () => started === 5);
    should(storingCounts.slice(0, 3)).eql([1, 2, 2]);
    await finish(worker);
    should(most).equal(4);
    should(Math.max(...storingCounts)).equal(2);
    should(storingCounts.at(-1)).equal(0);
  });

  it('starts an operation again at once whose output was deleted after it had left its place', async () => {
    await add(0, 1);
    const complete: Operations['complete'] = async (...completion) => {
      if (started === 1) throw new ServiceError('STORAGE_UNAVAILABLE', 'The output was deleted meanwhile.');
      return operations.complete(...completion);
    };
    const worker = await createSlowWorker(2, { ...operations, complete });
    worker.wake();
    await finish(worker);
    should(started).equal(2);
  });

  it('keeps others waiting for an operation that runs alone', async () => {
    await add(LIMITS.maxSharedAttempts, 1);
    await add(0, 2);
    const worker = await createSlowWorker(2);
    worker.wake();
    await untilStoring(1);
    worker.wake();
    await finish(worker);
    should([started, most]).eql([2, 1]);
  });
});
