import { writeFile } from 'node:fs/promises';
import { openBlobFolder } from '../../../src/service/blobs/blob-folder.js';
import { Digester } from '../../../src/service/blobs/digest.js';
import { StorageQuota } from '../../../src/service/blobs/storage-quota.js';
import { LIMITS } from '../../../src/service/defaults.js';
import type { RunJob } from '../../../src/service/kernel/kernel-runner.js';
import { createLogger } from '../../../src/service/logger.js';
import { Worker } from '../../../src/service/operations/worker.js';
import type { WorkerDependencies } from '../../../src/service/operations/worker-dependencies.js';
import type { WorkerMetrics } from '../../../src/service/operations/worker-metrics.js';
import type { Store } from '../../../src/service/store/database.js';
import { createFiles } from '../../../src/service/store/files.js';
import { createIdempotencyKeys } from '../../../src/service/store/idempotency-keys.js';
import { createJobQueue } from '../../../src/service/store/job-queue.js';
import { createOperations } from '../../../src/service/store/operations.js';
import type { OperationRow } from '../../../src/service/store/schema.js';
import { createTokens } from '../../../src/service/store/tokens.js';
import { createUsage } from '../../../src/service/store/usage.js';
import { queuedOperation } from './queued-operation.js';

/** Returns the row of an operation of the user `me`, which writes no output. */
export function createRow(attempts: number, createdAt: number, state: OperationRow['state'] = 'queued'): OperationRow {
  const row = { owner: 'me', kind: 'analyze', state, output_id: null, attempts, created_at: createdAt };
  return queuedOperation(row);
}

export const logger = createLogger('silent');

/** What differs between the workers of tests. */
export interface WorkerSetup extends Pick<WorkerDependencies, 'operations' | 'runJob'> {
  /** Default: that of the store. */
  queue?: WorkerDependencies['queue'];
  folder: string;
  store: Store;
  quotaBytes?: number;
  maxStoring?: number;
  metrics?: WorkerMetrics;
}

/** Creates the quota of a store without a spare file. */
export async function createQuota({ folder, store, quotaBytes }: WorkerSetup): Promise<StorageQuota> {
  const stores = { files: createFiles(store), usage: createUsage(store), operations: createOperations(store) };
  const accounts = { tokens: createTokens(store), keys: createIdempotencyKeys(store) };
  const times = { limits: LIMITS, now: Date.now, clock: { now: Date.now } };
  const disk = { folder, blobs: await openBlobFolder(folder), spare: { missingBytes: () => 0 } };
  return new StorageQuota({ ...stores, ...accounts, ...times, ...disk, quotaBytes, logger });
}

/** Creates a worker for two operations at a time. */
export async function createWorker(setup: WorkerSetup, storageQuota: Pick<StorageQuota, 'reserve'>): Promise<Worker> {
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
export const runJob: RunJob = async ({ outputPath = '' }) => {
  const bytes = 'x'.repeat(600);
  await writeFile(outputPath, bytes);
  const digester = new Digester();
  digester.update(Buffer.from(bytes));
  return { type: 'done', result: {}, output: digester.finish() };
};
