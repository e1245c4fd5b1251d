import type { AddressInfo } from 'node:net';
import { createComponents, type ServeOptions, type ServiceComponents } from './create-components.js';
import { writeCredentials } from './credentials.js';
import { openDataFolder } from './data-folder.js';
import type { Logger } from './logger.js';
import { openDataStore, startGeneration } from './open-data-store.js';
import { recoverOperations } from './operations/recover-operations.js';
import { reconcileBlobs } from './reconcile-blobs.js';
import { type Store, truncateWal } from './store/database.js';

export type { ServeOptions } from './create-components.js';

/** A running service. */
export interface RunningService {
  baseUrl: string;
  instanceId: string;
  /**
   * Stops the service: rejects new requests, waits `shutdownDrainMs` for running replies, ends the kernel processes and
   * requeues their operations. When it resolves, no timer, socket, process or lock remains.
   */
  close(): Promise<void>;
}

function formatBaseUrl(host: string, { port }: AddressInfo): string {
  if (host === '0.0.0.0') return `http://127.0.0.1:${port}`;
  if (host === '::') return `http://[::1]:${port}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Recovers from a crash of an earlier service: makes blobs agree with rows and requeues its running operations. */
async function recoverState(components: ServiceComponents): Promise<void> {
  await reconcileBlobs(components);
  await recoverOperations({ ...components, maxAttempts: components.limits.maxAttempts });
  await components.storageQuota.purgeExpired();
}

/** Closes the store. All commits are then in the database file, which can be copied without its write-ahead log. */
async function closeStore(store: Store, logger: Logger): Promise<void> {
  await truncateWal(store).catch((err: unknown) => logger.warn({ err }, 'Could not truncate the write-ahead log'));
  await store.destroy();
}

/** Waits up to `shutdownDrainMs` for running replies, then closes all remaining connections. */
async function stopListening({ app, limits }: ServiceComponents): Promise<void> {
  const timer = setTimeout(() => app.server.closeAllConnections(), limits.shutdownDrainMs);
  await app.close();
  clearTimeout(timer);
}

/** Starts listening and writes `credentials.json`. Returns the base URL. */
async function startListening(
  { app, accounts, instanceId, now }: ServiceComponents,
  options: ServeOptions,
  file: string,
) {
  await app.listen({ host: options.host, port: options.port });
  // a server that listens on a port has an AddressInfo
  const baseUrl = formatBaseUrl(options.host, app.server.address() as AddressInfo);
  await writeCredentials(file, accounts, { baseUrl, instanceId, now: now() });
  return baseUrl;
}

/** Deletes expired files every `sweepIntervalMs`. Returns a function that stops it. */
function startSweeping({ storageQuota, limits, logger }: ServiceComponents): () => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    last = storageQuota.purgeExpired().catch((err: unknown) => logger.error({ err }, 'Could not delete expired files'));
  }, limits.sweepIntervalMs);
  return async () => {
    clearInterval(timer);
    await last;
  };
}

/**
 * Starts a service on a data folder. Throws `FOLDER_LOCKED`, the errors of `openDataStore`, `NATIVE_UNAVAILABLE`, or the
 * system error of a port that cannot be used. After an error nothing is left running.
 */
export async function serve(options: ServeOptions): Promise<RunningService> {
  const { logger } = options;
  // Cleanup steps, run in reverse order when the start fails and when the service stops.
  const undo: (() => unknown)[] = [];
  const undoAll = async (): Promise<void> => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  let isStopping = false;
  try {
    const folder = await openDataFolder(options.dataFolder);
    undo.push(folder.release);
    const store = await openDataStore(folder, logger);
    undo.push(() => closeStore(store, logger));
    await startGeneration(store, folder, logger);
    const components = await createComponents(store, options, () => isStopping);
    const { worker, sender, warmKernels, instanceId } = components;
    undo.push(() => warmKernels.close());
    await recoverState(components);
    undo.push(() => Promise.all([stopListening(components), worker.close(), sender.close()]));
    const baseUrl = await startListening(components, options, folder.credentialsFile);
    undo.push(startSweeping(components));
    worker.wake();
    sender.wake();
    let closing: Promise<void> | undefined;
    const close = (): Promise<void> => {
      isStopping = true;
      closing ??= undoAll().then(() => logger.info('Stopped'));
      return closing;
    };
    return { baseUrl, instanceId, close };
  } catch (error) {
    await undoAll();
    throw error;
  }
}
