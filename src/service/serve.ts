import type { AddressInfo } from 'node:net';
import { createComponents, type ServeOptions, type ServiceComponents } from './create-components.js';
import { writeCredentials } from './credentials.js';
import { openDataFolder } from './data-folder.js';
import type { Logger } from './logger.js';
import { recoverOperations } from './operations/recover-operations.js';
import { openStore } from './store/database.js';

export type { ServeOptions } from './create-components.js';

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

function addressOf(host: string, { port }: AddressInfo): string {
  if (host === '0.0.0.0') return `http://127.0.0.1:${port}`;
  if (host === '::') return `http://[::1]:${port}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Leaves the folder as if the service before had ended in good order. */
async function recoverState(
  { files, blobs, operations, retention, limits, now }: ServiceComponents,
  logger: Logger,
): Promise<void> {
  const kept = await files.keptIds();
  const swept = await blobs.sweep((id) => kept.has(id));
  if (swept > 0) logger.info({ swept }, 'swept what an earlier service left');
  await recoverOperations({ operations, attempts: limits.maxAttempts, now, logger });
  await retention.purgeExpired();
}

/** Gives running replies `shutdownDrainMs`, then cuts what is left. */
async function stopListening({ app, limits }: ServiceComponents): Promise<void> {
  const timer = setTimeout(() => app.server.closeAllConnections(), limits.shutdownDrainMs);
  await app.close();
  clearTimeout(timer);
}

/** Listens, and writes down where. Answers the base URL. */
async function startListening(
  { app, accounts, instanceId, now }: ServiceComponents,
  options: ServeOptions,
  file: string,
) {
  await app.listen({ host: options.host, port: options.port });
  // a server that listens on a port has such an address
  const baseUrl = addressOf(options.host, app.server.address() as AddressInfo);
  await writeCredentials(file, accounts, { baseUrl, instanceId, now: now() });
  return baseUrl;
}

/** Clears what expired from time to time. Answers the function that ends it. */
function startSweeping({ retention, limits, logger }: ServiceComponents): () => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    last = retention
      .purgeExpired()
      .catch((err: unknown) => logger.error({ err }, 'expired files could not be cleared'));
  }, limits.sweepIntervalMs);
  return async () => {
    clearInterval(timer);
    await last;
  };
}

/**
 * Starts a service on a data folder. Throws `FOLDER_LOCKED`, `FOLDER_NEWER`, `NATIVE_UNAVAILABLE`, or what the system refuses to listen with;
 * then nothing is left running.
 */
export async function serve(options: ServeOptions): Promise<RunningService> {
  const { logger } = options;
  // What has to be undone, the last first: when the start fails half-way, and when the service stops.
  const undo: (() => unknown)[] = [];
  const undoAll = async (): Promise<void> => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  let isStopping = false;
  try {
    const folder = await openDataFolder(options.dataFolder);
    undo.push(folder.release);
    const store = await openStore(folder.storeFile);
    undo.push(() => store.destroy());
    const assembly = await createComponents(store, options, () => isStopping);
    const { worker, sender, spares, instanceId } = assembly;
    undo.push(() => spares.close());
    await recoverState(assembly, logger);
    undo.push(() => Promise.all([stopListening(assembly), worker.close(), sender.close()]));
    const baseUrl = await startListening(assembly, options, folder.credentialsFile);
    undo.push(startSweeping(assembly));
    worker.wake();
    sender.wake();
    let closing: Promise<void> | undefined;
    const close = (): Promise<void> => {
      isStopping = true;
      closing ??= undoAll().then(() => logger.info('stopped'));
      return closing;
    };
    return { baseUrl, instanceId, close };
  } catch (error) {
    await undoAll();
    throw error;
  }
}
