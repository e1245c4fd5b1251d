import { existsSync } from 'node:fs';
import type { PasswordCost } from './auth/passwords.js';
import { openSpareFile, type SpareFile } from './blobs/spare-file.js';
import { createComponents, type ServeOptions, type ServiceComponents } from './create-components.js';
import { updateAccountsFile } from './data-folder/accounts-file.js';
import { createCredentialsWriter, createNewAccount, type NewAccount } from './data-folder/credentials.js';
import { openDataFolder } from './data-folder/data-folder.js';
import { explainFolderError } from './data-folder/explain-folder-error.js';
import { openDataStore, startGeneration } from './data-folder/open-data-store.js';
import { restrictPermissions } from './data-folder/restrict-permissions.js';
import { formatBaseUrl } from './http/format-base-url.js';
import { createListener, type Listener } from './http/listener.js';
import { serveMetricsIfSeparate } from './http/serve-metrics.js';
import { stopListening } from './http/stop-listening.js';
import { completeRecords } from './integrity/complete-records.js';
import { reconcileBlobs } from './integrity/reconcile-blobs.js';
import { startScrubbing } from './integrity/scrubber.js';
import type { Logger } from './logger.js';
import { type Cleanup, createCleanup } from './machine/cleanup.js';
import { createDiskFullRetries, type DiskFullRetries } from './machine/disk-full-retries.js';
import { repeat } from './machine/repeat.js';
import { recoverOperations } from './operations/recover-operations.js';
import { createRunningService, type RunningService } from './running-service.js';
import type { Store } from './store/database.js';
import { truncateWal } from './store/sqlite.js';

export type { ServeOptions } from './create-components.js';
export type { RunningService } from './running-service.js';

/**
 * Recovers from a crash of an earlier service: makes blobs agree with rows and requeues its running operations. Resolves
 * with the ids of the files whose records are missing.
 */
async function recoverState(components: ServiceComponents, retries: DiskFullRetries): Promise<string[]> {
  const { queue, storageQuota, limits, worker } = components;
  const unrecordedIds = await reconcileBlobs(components);
  const interrupted = await queue.findInterrupted();
  await retries.run(async () => {
    await queue.recount();
    await recoverOperations(interrupted, { ...components, maxAttempts: limits.maxAttempts });
    worker.wake();
  }, 'Could not requeue interrupted operations: the disk is full');
  await retries.run(() => storageQuota.purgeExpired(), 'Could not delete expired files: the disk is full');
  return unrecordedIds;
}

/** Closes the store. All commits are then in the database file, which can be copied without its write-ahead log. */
async function closeStore(store: Store, logger: Logger): Promise<void> {
  await truncateWal(store).catch((err: unknown) => logger.warn({ err }, 'Could not truncate the write-ahead log'));
  await store.destroy();
}

/**
 * Starts listening and writes `credentials.json`. On a full disk an existing file stays unchanged until there is space.
 * Returns the base URL.
 */
async function startListening(
  listener: Listener,
  { accounts, instanceId, identityKey, now }: ServiceComponents,
  options: ServeOptions,
  { file, newAccount }: { file: string; newAccount: NewAccount },
  retries: DiskFullRetries,
) {
  const baseUrl = formatBaseUrl(options.host, await listener.listen(options.host, options.port));
  const writeCredentials = createCredentialsWriter(
    file,
    accounts,
    { baseUrl, instanceId, identityKey, now: now() },
    newAccount,
  );
  const write = async (): Promise<void> => {
    await writeCredentials();
  };
  if (existsSync(file)) await retries.run(write, 'Could not write credentials.json: the disk is full');
  else await write();
  return baseUrl;
}

/** Creates the account of a new data folder. Begins to hash its password, which takes as long as all else at a start. */
function prepareAccount(file: string, cleanup: Cleanup, cost: PasswordCost | undefined): NewAccount {
  const account = createNewAccount(cost);
  if (existsSync(file)) return account;
  const hashed = account.hashPassword().catch(() => undefined); // thrown where the hash is needed
  cleanup.add(() => hashed);
  return account;
}

/** Saves the retention clock and deletes expired files regularly. Returns a function that ends it. */
function startSweeping({ clock, storageQuota, limits, logger }: ServiceComponents): () => Promise<void> {
  const onError = (err: unknown): void => logger.error({ err }, 'Could not delete expired files');
  const sweep = async (): Promise<void> => {
    await storageQuota.purgeExpired(); // on a full disk this makes the space that the clock needs
    await clock.save();
  };
  return repeat(sweep, limits.sweepIntervalMs, onError);
}

async function saveClock({ clock, logger }: ServiceComponents): Promise<void> {
  await clock.save().catch((err: unknown) => logger.warn({ err }, 'Could not save the retention clock'));
}

/** Writes the missing records of stored files in the background. Returns a function that ends it. */
function startCompletingRecords(ids: string[], components: ServiceComponents): () => Promise<void> {
  const stopping = new AbortController();
  const completed = completeRecords(ids, components, stopping.signal);
  return () => {
    stopping.abort(new Error('The service is stopping.'));
    return completed;
  };
}

/** Checks regularly whether the disk is full. Returns a function that ends it. */
function startDiskChecks(spare: SpareFile, { limits, logger }: ServiceComponents): () => Promise<void> {
  const onError = (err: unknown): void => logger.error({ err }, 'Could not check the disk space');
  return repeat(() => spare.update(), limits.diskCheckMs, onError);
}

/**
 * Starts a service on a data folder. Throws the errors of `openDataFolder` and `openDataStore`, `NATIVE_UNAVAILABLE` or
 * `ADDRESS_UNAVAILABLE`. After an error nothing is left running.
 */
export async function serve(options: ServeOptions): Promise<RunningService> {
  const { logger } = options;
  const cleanup = createCleanup();
  let isStopping = false;
  try {
    const folder = await openDataFolder(options.dataFolder);
    cleanup.add(folder.release);
    const newAccount = prepareAccount(folder.credentialsFile, cleanup, options.passwordCost);
    const spare = await openSpareFile({ folder: options.dataFolder, logger });
    await spare.release(); // SQLite needs some space to open the database
    const store = await openDataStore(folder, logger);
    cleanup.add(() => closeStore(store, logger));
    await restrictPermissions(options.dataFolder, logger);
    await startGeneration(store, folder, logger);
    const components = await createComponents(store, spare, options, () => isStopping);
    const { worker, sender, warmKernels, instanceId, limits, web } = components;
    cleanup.add(() => warmKernels.close());
    const listener = createListener(components.app);
    cleanup.add(() => Promise.all([stopListening(listener, components), worker.close(), sender.close()]));
    const metricsServer = await serveMetricsIfSeparate(options, components);
    if (metricsServer) cleanup.add(metricsServer.close);
    const retries = createDiskFullRetries({ delayMs: limits.storeRetryMs, logger });
    cleanup.add(() => retries.close());
    const unrecordedIds = await recoverState(components, retries);
    await saveClock(components);
    cleanup.add(() => saveClock(components));
    const account = { file: folder.credentialsFile, newAccount };
    const baseUrl = await startListening(listener, components, options, account, retries);
    // After a new account, which writes the file.
    const updateAccounts = (): Promise<void> => updateAccountsFile(folder.accountsFile, store, logger);
    await retries.run(updateAccounts, 'Could not write accounts.json: the disk is full');
    cleanup.add(startSweeping(components), startDiskChecks(spare, components));
    cleanup.add(startCompletingRecords(unrecordedIds, components), startScrubbing(components));
    worker.wake();
    sender.wake();
    const stop = (): Promise<void> => {
      isStopping = true;
      return cleanup.run();
    };
    return createRunningService({ baseUrl, instanceId, metricsServer, web, logger, stop });
  } catch (error) {
    await cleanup.run();
    throw await explainFolderError(error, options.dataFolder);
  }
}
