import type { OperationHandle } from '../../../src/api/index.js';
import type { ClientTls } from '../../../src/client/client-options.js';
import {
  type Account,
  type Client,
  ClientError,
  createClient,
  createTokenSource,
  type WaitOptions,
} from '../../../src/client/index.js';
import { CallbackHealth, type CallbackReceiver } from '../callbacks/callback-receiver.js';
import type { ServiceNotice } from '../local-service/local-service.js';
import { type ChosenProxy, createProxyResolver } from './proxy.js';
import { usePollScheduler, useTokenSource } from './registry.js';
import { WorkQueue } from './work-queue.js';

/** Of the work done at once, this many may move files. */
const MAX_TRANSFERS = 4;

export interface ConnectionOptions {
  account: (signal: AbortSignal) => Promise<Account>;
  /** What tells this account from others: connections of one account share the looks at their operations. */
  accountKey: unknown[];
  /** Why it cannot work as configured: what flow nodes answer with `NOT_CONFIGURED`. */
  problem?: string | undefined;
  tls?: ClientTls | undefined;
  /** Default: the environment's. */
  proxy?: ChosenProxy | undefined;
  concurrency: number;
  /** Takes warnings that no message is to blame for. Default: nobody hears of them. */
  warn?: ((message: string) => void) | undefined;
  /** Messages that may wait for their turn. */
  maxQueued: number;
  pollMinMs: number;
  pollMaxMs: number;
  waitTimeoutMs: number;
  /** Does the service answer without being started first? Default: yes. */
  isServing?: () => boolean;
  /** What the service has to say while it cannot serve, and who wants to hear of it. */
  noticeSource?: { current: () => ServiceNotice; onChange: (listener: () => void) => () => void };
  /** Where the service shall send callbacks, and who receives them. Default: it sends none. */
  callbacks?: { address: string; receiver: CallbackReceiver; release: () => void } | undefined;
  /** Called once, when the connection has closed. */
  release?: () => void;
}

/** What a config node gives to the flow nodes that use it: one client, and the queue of their work. */
export class Connection {
  readonly client: Client;
  readonly queue: WorkQueue;
  readonly problem: string | undefined;
  readonly waitTimeoutMs: number;
  readonly #options: ConnectionOptions;
  readonly #releaseScheduler: () => void;
  readonly #callbackHealth: CallbackHealth;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.problem = options.problem;
    this.#callbackHealth = new CallbackHealth(() => {
      const where = options.callbacks?.address;
      options.warn?.(
        `no callbacks arrive below ${where}: operations are looked at more often; can the service reach it?`,
      );
    });
    this.waitTimeoutMs = options.waitTimeoutMs;
    const { account, tls, proxy: chosen, concurrency, maxQueued, pollMinMs, pollMaxMs, waitTimeoutMs } = options;
    this.queue = new WorkQueue({ concurrency, transfers: Math.min(MAX_TRANSFERS, concurrency), maxQueued });
    const proxy = createProxyResolver(chosen);
    const { scheduler, release } = usePollScheduler(options.accountKey);
    this.#releaseScheduler = release;
    this.client = createClient({
      account,
      tls,
      proxy,
      pollScheduler: scheduler,
      tokenSource: (known) =>
        useTokenSource(known, [tls, chosen], () => createTokenSource(known, { tls, proxy, onWarning: options.warn })),
      limits: { pollMinMs, pollMaxMs: Math.max(pollMinMs, pollMaxMs), waitTimeoutMs },
    });
  }

  /** Starts an operation; where there are callbacks, with an address for its own. */
  async start(
    operation: string,
    parameters: Record<string, unknown>,
    options: { signal: AbortSignal },
  ): Promise<OperationHandle> {
    const { callbacks } = this.#options;
    if (!callbacks || 'callbackUrl' in parameters) return this.client.start(operation, parameters, options);
    const expected = callbacks.receiver.expect(this.#callbackHealth);
    try {
      const callbackUrl = callbacks.address + expected.token;
      const handle = await this.client.start(operation, { ...parameters, callbackUrl }, options);
      expected.bind(handle.operationId);
      return handle;
    } catch (error) {
      expected.cancel();
      throw error;
    }
  }

  /** Waits for an operation; for its callback too, where one is expected. */
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
      receiver.end(operationId, true);
      return completion;
    } catch (error) {
      const code = error instanceof ClientError ? error.code : undefined;
      // Who takes the wait over after a redeploy still expects it.
      if (code !== 'ABORTED') receiver.end(operationId, code === 'OPERATION_FAILED');
      throw error;
    }
  }

  /** Does the service answer without being started first? */
  get isServing(): boolean {
    return this.#options.isServing?.() ?? true;
  }

  get notice(): ServiceNotice {
    return this.#options.noticeSource?.current();
  }

  /** Calls back when `notice` may have changed; answers how to stop that. */
  onNotice(listener: () => void): () => void {
    return this.#options.noticeSource?.onChange(listener) ?? (() => undefined);
  }

  /** Ends every call. Its users should be closing too: what they still ask for ends with `ABORTED`. */
  async close(): Promise<void> {
    // Node-RED closes a config node with its users at once; they must hear of it first, or they would report an error.
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
    await this.client.close();
    this.#releaseScheduler();
    this.#options.callbacks?.release();
    this.#options.release?.();
  }
}
