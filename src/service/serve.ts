import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { createFailedGrants } from './auth/failed-grants.js';
import { createGrants } from './auth/grant.js';
import { createPasswordCheck } from './auth/passwords.js';
import { openBlobStore } from './blobs/blob-store.js';
import type { AddressRule } from './callbacks/address-rule.js';
import { createSender } from './callbacks/sender.js';
import { writeCredentials } from './credentials.js';
import { type DataFolder, openDataFolder } from './data-folder.js';
import { LIMITS, type Limits } from './defaults.js';
import { createApp } from './http/app.js';
import { createKernelRunner } from './jobs/kernel-runner.js';
import type { Logger } from './logger.js';
import { planWork, readCapacity, type WorkPlan } from './machine/capacity.js';
import { takeUpOperations } from './operations/take-up.js';
import { createWorker } from './operations/worker.js';
import { createRetention } from './retention.js';
import { createAccounts } from './store/accounts.js';
import { createCallbacks } from './store/callbacks.js';
import { openStore, type Store } from './store/database.js';
import { createFiles } from './store/files.js';
import { createOperations } from './store/operations.js';
import { createTokens } from './store/tokens.js';

export interface ServeOptions {
  host: string;
  /** 0: any free one. */
  port: number;
  /** Where everything is kept. No other service may use it. */
  dataFolder: string;
  /** What callbacks may be sent to. */
  allowsCallback: AddressRule;
  logger: Logger;
  /** Default: what the machine or the container carries. */
  plan?: Partial<WorkPlan>;
  /** Default: the smaller of 20 GiB and 20 % of (free disk + what the folder holds). */
  quotaBytes?: number | undefined;
  /** Those that differ from `LIMITS`. */
  limits?: Partial<Limits>;
  /** The program that runs one job. Default: the one built beside this program. */
  kernelProgram?: string;
  /** ms since 1970. Default: the clock. */
  now?: () => number;
}

/** A service that runs. */
export interface RunningService {
  baseUrl: string;
  instanceId: string;
  /**
   * No new requests, some time for running replies, kernel processes ended and their operations queued again. Nothing is left when it
   * resolves.
   */
  close(): Promise<void>;
}

/** `kernel-process.js` as the build lays it beside `cli.js`. */
const builtKernelProgram = (): string => fileURLToPath(new URL('./service/kernel-process.js', import.meta.url));

const addressOf = (host: string, { port }: AddressInfo): string => {
  if (host === '0.0.0.0') return `http://127.0.0.1:${port}`;
  if (host === '::') return `http://[::1]:${port}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
};

/** Everything that stands on the data folder. */
const assemble = async (folder: DataFolder, store: Store, options: ServeOptions, isStopping: () => boolean) => {
  const { logger, now = Date.now } = options;
  const limits = { ...LIMITS, ...options.limits };
  const blobs = await openBlobStore(folder.folder);
  const files = createFiles(store);
  const operations = createOperations(store);
  const tokens = createTokens(store);
  const accounts = createAccounts(store);
  const { quotaBytes } = options;
  const retention = createRetention({
    files,
    operations,
    tokens,
    blobs,
    folder: folder.folder,
    quotaBytes,
    limits,
    now,
    logger,
  });
  const { workers, jobMemoryBytes } = planWork(readCapacity(), options.plan);
  const runJob = createKernelRunner({
    program: options.kernelProgram ?? builtKernelProgram(),
    memoryBytes: jobMemoryBytes,
    deadlineMs: limits.operationMs,
    onBreakdown: (stderr) => logger.error({ stderr }, 'a kernel process broke down'),
  });
  const allows = options.allowsCallback;
  const sender = createSender({ callbacks: createCallbacks(store), allows, limits, now, logger });
  const worker = createWorker({
    operations,
    files,
    blobs,
    retention,
    runJob,
    workers,
    onCompleted: sender.wake,
    now,
    logger,
  });
  const instanceId = randomUUID();
  const app = createApp({
    ...{ files, blobs, retention, operations, tokens, limits, now, logger, instanceId, isStopping },
    formBytes: limits.formBytes,
    grant: createGrants({ accounts, tokens, checkPassword: createPasswordCheck(), limits, now }),
    failedGrants: createFailedGrants(limits, now),
    onQueued: worker.wake,
    checkReady: async () => {
      await files.heldBytes();
    },
  });
  logger.info({ workers, jobMemoryBytes, folder: folder.folder }, 'starting');
  return { app, worker, sender, retention, operations, accounts, files, blobs, limits, now, instanceId };
};

type Assembly = Awaited<ReturnType<typeof assemble>>;

/** Leaves the folder as if the service before had ended in good order. */
const tidyUp = async (
  { files, blobs, operations, retention, limits, now }: Assembly,
  logger: Logger,
): Promise<void> => {
  const kept = await files.keptIds();
  const swept = await blobs.sweep((id) => kept.has(id));
  if (swept > 0) logger.info({ swept }, 'swept what an earlier service left');
  await takeUpOperations({ operations, attempts: limits.attempts, now, logger });
  await retention.clear();
};

/** Gives running replies `drainMs`, then cuts what is left. */
const stopListening = async ({ app, limits }: Assembly): Promise<void> => {
  const timer = setTimeout(() => app.server.closeAllConnections(), limits.drainMs);
  await app.close();
  clearTimeout(timer);
};

/**
 * Starts a service on a data folder. Throws `FOLDER_LOCKED`, `FOLDER_NEWER`, `NATIVE_UNAVAILABLE`, or what the system refuses to listen with.
 */
export const serve = async (options: ServeOptions): Promise<RunningService> => {
  const { logger } = options;
  const folder = await openDataFolder(options.dataFolder);
  let store: Store | undefined;
  let isStopping = false;
  try {
    store = await openStore(folder.storeFile);
    const opened = store;
    const assembly = await assemble(folder, opened, options, () => isStopping);
    const { app, worker, sender, retention, accounts, instanceId, limits, now } = assembly;
    await tidyUp(assembly, logger);
    await app.listen({ host: options.host, port: options.port });
    // a server that listens on a port has such an address
    const baseUrl = addressOf(options.host, app.server.address() as AddressInfo);
    await writeCredentials(folder.credentialsFile, accounts, { baseUrl, instanceId, now: now() });
    const clearing = setInterval(() => {
      retention.clear().catch((err: unknown) => logger.error({ err }, 'expired files could not be cleared'));
    }, limits.clearingMs);
    worker.wake();
    sender.wake();
    logger.info({ baseUrl }, 'listening');
    let closing: Promise<void> | undefined;
    const close = async (): Promise<void> => {
      isStopping = true;
      clearInterval(clearing);
      await Promise.all([stopListening(assembly), worker.close(), sender.close()]);
      await opened.destroy();
      folder.release();
      logger.info('stopped');
    };
    return {
      baseUrl,
      instanceId,
      close: () => {
        closing ??= close();
        return closing;
      },
    };
  } catch (error) {
    await store?.destroy();
    folder.release();
    throw error;
  }
};
