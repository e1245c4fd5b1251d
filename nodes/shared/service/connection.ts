import type { OperationHandle } from '../../../src/api/index.js';
import type { ClientTls } from '../../../src/client/client-options.js';
import {
  type Account,
  type Client,
  ClientError,
  createClient,
  createTokenSource,
  type StartOptions,
  type WaitOptions,
} from '../../../src/client/index.js';
import { CallbackHealth, type CallbackReceiver } from '../callbacks/callback-receiver.js';
import type { ConnectionCallbacks } from '../callbacks/connection-callbacks.js';
import { delay } from '../delay.js';
import type { ServiceNotice } from '../local-service/local-service.js';
import { CachedList } from './cached-list.js';
import { ImportExtensions } from './import-extensions.js';
import { type ChosenProxy, createProxyResolver } from './proxy.js';
import { usePollScheduler, useTokenSource } from './registry.js';
import { WorkQueue } from './work-queue.js';

/** Maximum number of concurrent transfers; the remaining concurrency is for other calls. */
const MAX_TRANSFERS = 4;

/** The settings and dependencies of a `Connection`. */
export interface ConnectionOptions {
  account: (signal: AbortSignal) => Promise<Account>;
  /** Identifies the account: connections with an equal key share one poll scheduler. */
  accountKey: unknown[];
  /** Reason why the service cannot be used as configured. Flow nodes report it as `NOT_CONFIGURED`. */
  problem?: string | undefined;
  tls?: ClientTls | undefined;
  /** Default: the proxy of the environment. */
  proxy?: ChosenProxy | undefined;
  /** `proxyOptions` of settings.js. */
  proxyOptions?: unknown;
  concurrency: number;
  /** Receives warnings that belong to no message. Default: they are discarded. */
  warn?: ((message: string) => void) | undefined;
  /** Maximum number of messages in the queue. */
  maxQueued: number;
  /** The folder in which streams are stored before their upload. Default: that of the client. */
  spoolDir?: string | undefined;
  pollMinMs: number;
  pollMaxMs: number;
  waitTimeoutMs: number;
  /** Returns an error message with remedies that a user of this service can follow. Default: unchanged. */
  adaptMessage?: (message: string) => string;
  /** Returns whether the service is running, so that a request does not start it. Default: always true. */
  isServing?: () => boolean;
  /** The current notice of the service, and a subscription to its changes. Default: no notices. */
  noticeSource?: { current: () => ServiceNotice; subscribe: (listener: () => void) => () => void };
  /** Default: no callbacks. */
  callbacks?: ConnectionCallbacks | undefined;
  /** How long `close` waits for aborted calls. They end in the background. Default: until they have ended. */
  closeTimeoutMs?: number;
  /** Called once, after the connection has closed. */
  release?: () => void;
}

/** The connection that a config node provides to its flow nodes: one client, and the queue of their work. */
export class Connection {
  readonly client: Client;
  readonly queue: WorkQueue;
  readonly importExtensions: ImportExtensions;
  /** The operations that the service announces. Empty if it announces none. */
  readonly operationNames: CachedList;
  readonly problem: string | undefined;
  readonly waitTimeoutMs: number;
  readonly #options: ConnectionOptions;
  readonly #releaseScheduler: () => void;
  readonly #callbackHealth: CallbackHealth;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.problem = options.problem;
    const { callbacks } = options;
    this.#callbackHealth = new CallbackHealth(() => {
      const remedy = 'Check that the service can reach this URL.';
      if (callbacks?.isAddressSet)
        options.warn?.(`No callbacks arrive at ${callbacks.address()}; polling more often instead. ${remedy}`);
    }, callbacks?.isAddressSet);
    this.waitTimeoutMs = options.waitTimeoutMs;
    const { account, tls, proxy: chosenProxy, concurrency, maxQueued, pollMinMs, pollMaxMs, waitTimeoutMs } = options;
    this.queue = new WorkQueue({ concurrency, transfers: Math.min(MAX_TRANSFERS, concurrency), maxQueued });
    const proxy = createProxyResolver(chosenProxy, process.env, options.proxyOptions);
    const { scheduler, release } = usePollScheduler(options.accountKey);
    this.#releaseScheduler = release;
    this.client = createClient({
      account,
      tls,
      proxy,
      spoolDir: options.spoolDir,
      idempotencyKeys: true,
      pollScheduler: scheduler,
      tokenSource: (currentAccount) =>
        useTokenSource(currentAccount, [tls, chosenProxy], () =>
          createTokenSource(currentAccount, { tls, proxy, onWarning: options.warn }),
        ),
      limits: { pollMinMs, pollMaxMs: Math.max(pollMinMs, pollMaxMs), waitTimeoutMs },
    });
    this.importExtensions = new ImportExtensions({ read: () => this.client.importExtensions() });
    this.operationNames = new CachedList({ read: () => this.client.operationNames() });
  }

  /**
   * Starts an operation. If callbacks can be received, adds a `callbackUrl` that is unique to this start, unless
   * `parameters` has one.
   */
  async start(operation: string, parameters: Record<string, unknown>, options: StartOptions): Promise<OperationHandle> {
    const { callbacks } = this.#options;
    const address = callbacks?.address();
    if (!callbacks || address === undefined || 'callbackUrl' in parameters)
      return this.client.start(operation, parameters, options);
    const expected = callbacks.receiver.expect(this.#callbackHealth, callbacks.owner);
    try {
      const callbackUrl = address + expected.token;
      const handle = await this.client.start(operation, { ...parameters, callbackUrl }, options);
      expected.bind(handle.operationId);
      return handle;
    } catch (error) {
      expected.cancel();
      throw error;
    }
  }

  /** Waits until an operation has completed, by polling and by its callback if one is expected. */
  wait(operationId: string, operation: string | undefined, options: WaitOptions): ReturnType<Client['wait']> {
    const { callbacks } = this.#options;
    return callbacks
      ? this.#waitForCallback(callbacks.receiver, operationId, operation, options)
      : this.client.wait(operationId, operation, options);
  }

  async #waitForCallback(
    receiver: CallbackReceiver,
    operationId: string,
    operation: string | undefined,
    options: WaitOptions,
  ): ReturnType<Client['wait']> {
    try {
      const callbacks = receiver.sourceFor(operationId);
      const completion = await this.client.wait(operationId, operation, { ...options, callbacks });
      receiver.complete(operationId);
      return completion;
    } catch (error) {
      const code = error instanceof ClientError ? error.code : undefined;
      // A redeploy aborts the wait, and the node that replaces this one continues it with the same callback.
      if (code === 'OPERATION_FAILED') receiver.complete(operationId);
      else if (code !== 'ABORTED') receiver.withdraw({ operationId });
      throw error;
    }
  }

  /** Withdraws the callback URL of an operation that no message waits for any more. */
  withdrawCallback(operationId: string): void {
    this.#options.callbacks?.receiver.withdraw({ operationId });
  }

  /** Returns an error message with remedies that a user of this service can follow. */
  adaptMessage(message: string): string {
    return this.#options.adaptMessage?.(message) ?? message;
  }

  /** Whether the service is running, so that a request does not start it. */
  get isServing(): boolean {
    return this.#options.isServing?.() ?? true;
  }

  /** The notice that flow nodes show. `undefined`: no notice. */
  get notice(): ServiceNotice {
    return this.#options.noticeSource?.current();
  }

  /** Calls `listener` whenever `notice` may have changed. Returns a function that unsubscribes it. */
  subscribeToNotice(listener: () => void): () => void {
    return this.#options.noticeSource?.subscribe(listener) ?? (() => undefined);
  }

  /**
   * Aborts all calls and releases the shared resources. Calls made afterwards fail with `ABORTED`. If the config node
   * was removed, withdraws its callback URLs.
   */
  async close(isRemoved = false): Promise<void> {
    const { callbacks } = this.#options;
    if (isRemoved) callbacks?.receiver.withdraw({ owner: callbacks.owner });
    // Node-RED closes a config node and its users in the same turn. If the users did not close first, they would report
    // the aborted calls as errors.
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
    const timeout = new AbortController();
    const { closeTimeoutMs } = this.#options;
    const closing = this.client.close().finally(() => timeout.abort());
    await (closeTimeoutMs === undefined ? closing : Promise.race([closing, delay(closeTimeoutMs, timeout.signal)]));
    this.#releaseScheduler();
    this.#options.release?.();
  }
}
