import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { NodeAPI } from 'node-red';
import { type Account, createPollScheduler, type PollScheduler, type TokenSource } from '../../../src/client/index.js';
import { removeSpoolRemnants } from '../../../src/client/transfers/spool-folder.js';
import { CallbackReceiver } from '../callbacks/callback-receiver.js';
import { registerCallbackRoute } from '../callbacks/callback-route.js';
import { findUserDir } from '../local-path.js';
import { LocalService, type LocalServiceOptions } from '../local-service/local-service.js';
import { ModelEntries } from '../previews/model-entries.js';
import { FILE_FUNCTIONS, READ_ONLY_FILES } from '../waits/file-functions.js';
import { PendingWaits, type PendingWaitsOptions } from '../waits/pending-waits.js';
import { isStoredWait } from '../waits/stored-wait.js';
import { type JournalReport, WaitJournal } from '../waits/wait-journal.js';
import { RefCountedRegistry } from './ref-counted-registry.js';

// The only module of the nodes with state: the resources that all nodes of a process share, and that outlive a
// redeploy.

/** Time for which a resource without references stays open, so that a redeploy can reuse it. */
const IDLE_TIMEOUT_MS = 3_000;

const localServices = new RefCountedRegistry<LocalService>(IDLE_TIMEOUT_MS);
const tokenSources = new RefCountedRegistry<TokenSource>(IDLE_TIMEOUT_MS);
const pollSchedulers = new RefCountedRegistry<PollScheduler>(IDLE_TIMEOUT_MS);
/** HTTP server of nodes → its callback receiver. A program that embeds Node-RED may start several servers. */
const callbackReceivers = new WeakMap<object, CallbackReceiver>();
/** HTTP server of the editor → the models of its preview nodes. They stay over redeploys. */
const modelEntries = new WeakMap<object, ModelEntries>();
const pendingWaits = new RefCountedRegistry<PendingWaits>(IDLE_TIMEOUT_MS);

/** The spool folders whose remnants were removed. */
const spoolFolders = new Set<string>();

/** The file in the user directory that keeps pending waits for the next start of Node-RED. */
const JOURNAL_NAME = 'model-processing-waits.jsonl';
/** The folder in the user directory for streams that are uploaded. */
const SPOOL_NAME = 'model-processing-spool';

/**
 * Returns the local service of a data folder, one per process, without starting it. Call `release` once, when the
 * service is no longer needed.
 */
export function useLocalService(options: LocalServiceOptions): { service: LocalService; release: () => void } {
  const key = options.settings.dataDir;
  const service = localServices.acquire(key, (predecessorEnd) => new LocalService({ ...options, predecessorEnd }));
  return { service, release: () => localServices.release(key) };
}

/**
 * Returns the token source of an account, one per process and connection settings. Its `close` releases it.
 * `connectionKey` holds the TLS and proxy settings that `create` uses: corrected settings must not reuse a source that
 * could not reach the service.
 */
export function useTokenSource(account: Account, connectionKey: unknown[], create: () => TokenSource): TokenSource {
  const { baseUrl, clientId, clientSecret, username, password } = account;
  const key = hashKey(baseUrl, clientId, clientSecret, username, password, ...connectionKey);
  const source = tokenSources.acquire(key, create);
  return {
    token: (options) => source.token(options),
    get pauseMs() {
      return source.pauseMs;
    },
    pause: (ms) => source.pause(ms),
    close: () => tokenSources.release(key),
  };
}

/**
 * Returns the scheduler that polls the operations of an account, one per process. `account` identifies the account; it
 * is known before the credentials are read. Call `release` once, when no operation is waited for any more.
 */
export function usePollScheduler(account: unknown[]): { scheduler: PollScheduler; release: () => void } {
  const key = hashKey(...account);
  const scheduler = pollSchedulers.acquire(key, () => createPollScheduler());
  return { scheduler, release: () => pollSchedulers.release(key) };
}

/**
 * Returns the folder in the user directory in which streams are stored before their upload. On the first call, removes
 * what earlier processes left there.
 */
export function useSpoolFolder(settings: object): string {
  const folder = path.join(findUserDir(settings), SPOOL_NAME);
  if (!spoolFolders.has(folder)) void removeSpoolRemnants(folder);
  spoolFolders.add(folder);
  return folder;
}

/** Returns the receiver of the callbacks of all services. Registers its route on the first call. */
export function useCallbackReceiver({ httpNode }: Pick<NodeAPI, 'httpNode'>): CallbackReceiver {
  const existing = callbackReceivers.get(httpNode);
  if (existing) return existing;
  const receiver = new CallbackReceiver();
  callbackReceivers.set(httpNode, receiver);
  registerCallbackRoute(httpNode, receiver);
  return receiver;
}

/** Returns the models of all preview nodes of this Node-RED instance. */
export function useModelEntries({ httpAdmin, nodes }: Pick<NodeAPI, 'httpAdmin' | 'nodes'>): ModelEntries {
  const existing = modelEntries.get(httpAdmin);
  if (existing) return existing;
  const entries = new ModelEntries(() => {
    const ids = new Set<string>();
    nodes.eachNode(({ id }) => ids.add(id));
    return ids;
  });
  modelEntries.set(httpAdmin, entries);
  return entries;
}

/** Returns the pending waits of all nodes of this Node-RED instance. Call `release` once, when the node closes. */
export function usePendingWaits(RED: NodeAPI): { waits: PendingWaits; release: () => void } {
  const { userDir, readOnly } = Object(RED.settings);
  const file = typeof userDir === 'string' ? path.join(userDir, JOURNAL_NAME) : '';
  // With `readOnly`, no journal is created, but the waits of an existing one continue.
  const key = readOnly && !existsSync(file) ? '' : file;
  const waits = pendingWaits.acquire(key, () => {
    const report: JournalReport = {
      warn: (message) => RED.log.warn(message),
      error: (message) => RED.log.error(message),
    };
    const listen: PendingWaitsOptions['listen'] = (onStarted) => {
      const onEvent = (event: unknown) => onStarted(createMissingNodeTest(event));
      RED.events.on('flows:started', onEvent);
      return () => RED.events.off('flows:started', onEvent);
    };
    const files = readOnly ? READ_ONLY_FILES : FILE_FUNCTIONS;
    const journal = key === '' ? undefined : new WaitJournal(key, { report, files, isEntry: isStoredWait });
    return new PendingWaits({ journal, listen, warn: report.warn });
  });
  return { waits, release: () => pendingWaits.release(key) };
}

// Returns a function that tells whether the node of a path is missing from the deployed flows. Disabled nodes are not
// missing.
function createMissingNodeTest(event: unknown): (path: string) => boolean {
  const flows: unknown = Object(event).config?.flows;
  if (!Array.isArray(flows)) return () => false;
  const ids = new Set(flows.map((node) => Object(node).id));
  // The last segment of a path is the id of the node in the flows, also inside a subflow.
  return (path) => !ids.has(path.slice(path.lastIndexOf('/') + 1));
}

// The secrets of an account are part of its key. Hashing keeps them out of the registry.
function hashKey(...parts: unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
