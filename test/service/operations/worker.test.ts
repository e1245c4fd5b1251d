import { randomUUID } from 'node:crypto';
import path from 'node:path';
import should from 'should';
import { openBlobStore } from '../../../src/service/blobs/blob-store.js';
import { StorageQuota } from '../../../src/service/blobs/storage-quota.js';
import { LIMITS } from '../../../src/service/defaults.js';
import type { JobOutcome } from '../../../src/service/kernel/messages.js';
import { createLogger } from '../../../src/service/logger.js';
import { recoverOperations } from '../../../src/service/operations/recover-operations.js';
import { Worker } from '../../../src/service/operations/worker.js';
import { openStore, type Store } from '../../../src/service/store/database.js';
import { createFiles } from '../../../src/service/store/files.js';
import { createIdempotencyKeys } from '../../../src/service/store/idempotency-keys.js';
import { createOperations, type Operations } from '../../../src/service/store/operations.js';
import type { OperationRow } from '../../../src/service/store/schema.js';
import { createTokens } from '../../../src/service/store/tokens.js';
import { createUsage } from '../../../src/service/store/usage.js';
import { eventually } from '../../helpers/processes.js';
import { createFolder, removeFolder } from '../support/data-folder.js';

function operation(attempts: number, createdAt: number, state: OperationRow['state'] = 'queued'): OperationRow {
  return {
    ...{ id: randomUUID(), owner: 'me', kind: 'analyze', state, input_id: 'input', output_id: null, filename: 'a.stl' },
    ...{ parameters: '{}', is_successful: null, result: null, report: null, error: null, attempts, progress: null },
    ...{
      created_at: createdAt,
      started_at: null,
      finished_at: null,
      retained_from: null,
      callback_url: null,
      callback_state: 'none',
    },
    ...{ callback_attempts: 0, callback_next_at: null, input_hash: null, kernel: null, priority: 'normal', tag: 0 },
  };
}

describe('operations during which the service crashed', () => {
  const logger = createLogger('silent');
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
    const blobs = await openBlobStore(folder);
    const files = createFiles(store);
    const damage = { record: () => Promise.resolve() };
    const shared = {
      operations,
      files,
      damage,
      blobs,
      limits: LIMITS,
      now: Date.now,
      clock: { now: Date.now },
      logger,
    };
    const stores = { usage: createUsage(store), tokens: createTokens(store), keys: createIdempotencyKeys(store) };
    const quota = { ...shared, ...stores, folder };
    const storageQuota = new StorageQuota({ ...quota, spare: { missingBytes: () => 0 } });
    const worker = new Worker({ ...shared, storageQuota, runJob, workers: 2, onCompleted: () => undefined });
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
    const dependencies = {
      operations,
      maxAttempts: LIMITS.maxAttempts,
      now: Date.now,
      clock: { now: Date.now },
      logger,
    };
    await recoverOperations(await operations.findInterrupted(), dependencies);
    const [requeued, failed] = await Promise.all(rows.map(({ id }) => operations.find(id, 'me')));
    should(requeued).match({ state: 'queued', attempts: 9 });
    should(failed).match({ state: 'completed', is_successful: 0, error: /42208.*10 times/ });
  });
});
