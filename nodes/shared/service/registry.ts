import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Readable } from 'node:stream';
import type { NodeAPI } from 'node-red';
import { type Account, createPollScheduler, type PollScheduler, type TokenSource } from '../../../src/client/index.js';
import { removeSpoolRemnants } from '../../../src/client/transfers/spool-folder.js';
import { CallbackReceiver } from '../callbacks/callback-receiver.js';
import { registerCallbackRoute } from '../callbacks/callback-route.js';
import { findUserDir } from '../local-path.js';
import { LocalService, type LocalServiceOptions } from '../local-service/local-service.js';
import { isStream } from '../message/is-stream.js';
import { ModelEntries } from '../previews/model-entries.js';
import { FILE_FUNCTIONS, READ_ONLY_FILES } from '../waits/file-functions.js';
import { PendingWaits } from '../waits/pending-waits.js';
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
  const key = findJournal(RED);
  const waits = pendingWaits.acquire(key, () => {
    const { log } = RED;
    const report: JournalReport = { warn: (message) => log.warn(message), error: (message) => log.error(message) };
    const files = Object(RED.settings).readOnly ? READ_ONLY_FILES : FILE_FUNCTIONS;
    return new PendingWaits({
      journal: key === '' ? undefined : new WaitJournal(key, { report, files, isEntry: isStoredWait }),
      log: { info: (message) => log.info(message), warn: report.warn },
      onDiscard: ({ operationId }) => useCallbackReceiver(RED).withdraw({ operationId }),
      retain: () => usePendingWaits(RED).release,
    });
  });
  return { waits, release: () => pendingWaits.release(key) };
}

// Returns the path of the journal, or '' if there is none. With `readOnly`, none is created, but the waits of an existing
// one continue.
function findJournal({ settings }: NodeAPI): string {
  const { userDir, readOnly } = Object(settings);
  const file = typeof userDir === 'string' ? path.join(userDir, JOURNAL_NAME) : '';
  return readOnly && !existsSync(file) ? '' : file;
}

/** The events of Node-RED → a function that stops listening to its deploys. */
const deployListeners = new WeakMap<object, () => void>();

/**
 * Tells the pending waits about each deploy, also if no node of this package is left in the flows. Call it when a node
 * type is registered.
 */
export function watchDeploys(RED: NodeAPI): void {
  const onStarted = (event: unknown) => {
    const flows: unknown = Object(event).config?.flows;
    const { waits, release } = usePendingWaits(RED);
    waits.onDeployed(Array.isArray(flows) ? flows : undefined);
    release();
  };
  const onStopping = () => {
    const { waits, release } = usePendingWaits(RED);
    waits.gate.close();
    release();
  };
  deployListeners.get(RED.events)?.();
  RED.events.on('flows:started', onStarted);
  RED.events.on('flows:stopping', onStopping);
  deployListeners.set(RED.events, () => {
    RED.events.off('flows:started', onStarted);
    RED.events.off('flows:stopping', onStopping);
  });
}

/** The clones of streams that Node-RED made. */
const clonedStreams = new WeakSet<Readable>();
/** The functions that clone messages and remember the streams. */
const watchedFunctions = new WeakSet<object>();
/** How deep streams are searched in a message, as in `msg.payload.file.data`. */
const MAX_STREAM_DEPTH = 4;
/** Longer lists contain data. Searching them would take as long as cloning them. */
const MAX_STREAM_COUNT = 100;

/**
 * Remembers the streams that Node-RED clones. Nothing in the clone of a stream in memory tells it from its original: it
 * has the same properties, but the functions among them belong to the original. Node-RED has a hook for the clones that
 * it makes for further wires, but not for those of function, delay, trigger and other nodes. All call
 * `RED.util.cloneMessage`, so that function is wrapped; it returns the same. Call it when a node type is registered.
 */
export function watchClones({ util }: NodeAPI): void {
  const { cloneMessage } = util;
  if (watchedFunctions.has(cloneMessage)) return;
  const cloneAndRemember: typeof cloneMessage = (msg) => {
    const clone = cloneMessage(msg);
    try {
      rememberClones(msg, clone);
    } catch {
      // A getter may throw for a clone, which has no private fields.
    }
    return clone;
  };
  watchedFunctions.add(cloneAndRemember);
  util.cloneMessage = cloneAndRemember;
}

// Node-RED does not clone `req` and `res`, nor objects of types that it does not know: the clone then has the original.
function rememberClones(source: unknown, clone: unknown, depth = MAX_STREAM_DEPTH): void {
  if (typeof clone !== 'object' || clone === source || clone === null || ArrayBuffer.isView(clone)) return;
  if (isStream(clone)) clonedStreams.add(clone);
  else if (depth > 0 && !(Array.isArray(clone) && clone.length > MAX_STREAM_COUNT))
    for (const [name, value] of Object.entries(clone)) rememberClones(Object(source)[name], value, depth - 1);
}

/** Returns whether Node-RED has cloned this stream, so that its data arrives elsewhere. */
export function isClonedStream(stream: Readable): boolean {
  return clonedStreams.has(stream);
}

// The secrets of an account are part of its key. Hashing keeps them out of the registry.
function hashKey(...parts: unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
