import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { NodeAPI } from 'node-red';
import { type Account, createPollScheduler, type PollScheduler, type TokenSource } from '../../../src/client/index.js';
import type { CallbackReceiver } from '../callbacks/callback-receiver.js';
import { CallbackRoute } from '../callbacks/callback-route.js';
import { LocalService, type LocalServiceOptions } from '../local-service/local-service.js';
import { FILE_FUNCTIONS, READ_ONLY_FILES } from '../waits/file-functions.js';
import { PendingWaits, type PendingWaitsOptions } from '../waits/pending-waits.js';
import { isStoredWait } from '../waits/stored-wait.js';
import { type JournalReport, WaitJournal } from '../waits/wait-journal.js';
import { RefCountedRegistry } from './ref-counted-registry.js';

// The only module of the nodes that remembers anything: what all nodes of a process share, and what a redeploy hands on.

/** How long what is shared stays without users, for a redeploy to take it over. */
const LINGER_MS = 3_000;

const localServices = new RefCountedRegistry<LocalService>(LINGER_MS);
const tokenSources = new RefCountedRegistry<TokenSource>(LINGER_MS);
const pollSchedulers = new RefCountedRegistry<PollScheduler>(LINGER_MS);
const callbackRoutes = new RefCountedRegistry<CallbackRoute>(LINGER_MS);
/** A name for each HTTP server of nodes: a program that embeds Node-RED may start another one. */
const httpNodeNames = new WeakMap<object, string>();
const heldWaits = new RefCountedRegistry<PendingWaits>(LINGER_MS);

/** In the user directory: what waits for operations, for the next start of Node-RED. */
const JOURNAL_NAME = 'model-processing-waits.jsonl';

/** The local service of a data folder, one a process; it is not started by this. Call `release` once, when it is not needed. */
export function useLocalService(options: LocalServiceOptions): { service: LocalService; release: () => void } {
  const key = options.settings.dataDir;
  const service = localServices.acquire(key, (predecessorEnd) => new LocalService({ ...options, predecessorEnd }));
  return { service, release: () => localServices.release(key) };
}

/**
 * The token source of an account, one a process and way to the service; its `close` lets go of it. `connectionKey`: the TLS and proxy settings that
 * `create` uses. Who corrects them must not be given the source that could not reach the service.
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
 * Who looks at the operations of an account, one a process. `account`: what tells it from others, known before it is read. Call `release`
 * once, when no operation is waited for any more.
 */
export function usePollScheduler(account: unknown[]): { scheduler: PollScheduler; release: () => void } {
  const key = hashKey(...account);
  const scheduler = pollSchedulers.acquire(key, () => createPollScheduler());
  return { scheduler, release: () => pollSchedulers.release(key) };
}

/** Who receives the callbacks of all services. Call `release` once, when none is expected any more. */
export function useCallbackReceiver(RED: NodeAPI): { receiver: CallbackReceiver; release: () => void } {
  const key = httpNodeNames.get(RED.httpNode) ?? randomUUID();
  httpNodeNames.set(RED.httpNode, key);
  const { receiver } = callbackRoutes.acquire(key, () => new CallbackRoute(RED.httpNode));
  return { receiver, release: () => callbackRoutes.release(key) };
}

/** The waits of all nodes of this Node-RED. Call `release` once, when the node closes. */
export function useHeldWaits(RED: NodeAPI): { waits: PendingWaits; release: () => void } {
  const { userDir, readOnly } = Object(RED.settings);
  const file = typeof userDir === 'string' ? path.join(userDir, JOURNAL_NAME) : '';
  // Where Node-RED shall write nothing there is nothing to keep, but what an earlier start kept goes on.
  const key = readOnly && !existsSync(file) ? '' : file;
  const waits = heldWaits.acquire(key, () => {
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
  return { waits, release: () => heldWaits.release(key) };
}

// A node that is disabled is in the flows all the same.
function createMissingNodeTest(event: unknown): (path: string) => boolean {
  const flows: unknown = Object(event).config?.flows;
  if (!Array.isArray(flows)) return () => false;
  const ids = new Set(flows.map((node) => Object(node).id));
  // The last part of a path is the node's id in the flows, also inside of a subflow.
  return (path) => !ids.has(path.slice(path.lastIndexOf('/') + 1));
}

// Secrets are part of what tells an account from another, and must not be kept in a key.
function hashKey(...parts: unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
