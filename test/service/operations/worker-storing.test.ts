import { randomUUID } from 'node:crypto';
import should from 'should';
import type { StorageQuota } from '../../../src/service/blobs/storage-quota.js';
import { LIMITS } from '../../../src/service/defaults.js';
import type { Worker } from '../../../src/service/operations/worker.js';
import { ServiceError } from '../../../src/service/service-error.js';
import type { Store } from '../../../src/service/store/database.js';
import { createFiles } from '../../../src/service/store/files.js';
import { createJobQueue } from '../../../src/service/store/job-queue.js';
import type { Operations } from '../../../src/service/store/operations.js';
import type { OperationRow } from '../../../src/service/store/schema.js';
import { eventually } from '../../helpers/processes.js';
import { registerFileBench } from '../support/file-bench.js';
import { createQuota, createRow, createWorker, runJob } from '../support/worker-setup.js';

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

  afterEach(async () => {
    resume?.();
    await worker.close();
  });

  registerFileBench((bench) => ({ folder, store, operations } = bench));

  beforeEach(async () => {
    row = { ...createRow(0, 1), kind: 'repair', output_id: randomUUID() };
    await operations.add(row);
    [resume, renewals] = [undefined, []];
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

  registerFileBench((bench) => ({ folder, store, operations } = bench));

  beforeEach(async () => {
    quota = await createQuota({ folder, store, operations, runJob });
    [storing, started, most, storingCounts] = [[], 0, 0, []];
  });

  const add = (attempts: number, createdAt: number) =>
    operations.add({ ...createRow(attempts, createdAt), kind: 'repair', output_id: randomUUID() });

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
    await untilStoring(4); // two that have left their slots, and two that could not
    should(await listRunning()).eql([0, 1, 2, 3]);
    storing.shift()?.();
    await eventually('the next one starts', () => started === 5);
    should(storingCounts.slice(0, 3)).eql([1, 2, 2]);
    await finish(worker);
    should(most).equal(4);
    should(Math.max(...storingCounts)).equal(2);
    should(storingCounts.at(-1)).equal(0);
  });

  it('starts an operation again at once whose output was deleted after it had left its slot', async () => {
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
