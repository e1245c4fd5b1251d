import type { ClientTls } from '../../src/client/client-options.js';
import { type Account, type Client, createClient, createTokenSource } from '../../src/client/index.js';
import type { ServiceNotice } from './local-service.js';
import { type ChosenProxy, proxyOf } from './proxy.js';
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
  maxWaiting: number;
  pollMinMs: number;
  pollMaxMs: number;
  waitTimeoutMs: number;
  /** What the service has to say while it cannot serve, and who wants to hear of it. */
  notices?: { current: () => ServiceNotice; onChange: (listener: () => void) => () => void };
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

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.problem = options.problem;
    this.waitTimeoutMs = options.waitTimeoutMs;
    const { account, tls, proxy: chosen, concurrency, maxWaiting, pollMinMs, pollMaxMs, waitTimeoutMs } = options;
    this.queue = new WorkQueue({ concurrency, transfers: Math.min(MAX_TRANSFERS, concurrency), maxWaiting });
    const proxy = proxyOf(chosen);
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

  get notice(): ServiceNotice {
    return this.#options.notices?.current();
  }

  /** Calls back when `notice` may have changed; answers how to stop that. */
  onNotice(listener: () => void): () => void {
    return this.#options.notices?.onChange(listener) ?? (() => undefined);
  }

  /** Ends every call. Its users should be closing too: what they still ask for ends with `ABORTED`. */
  async close(): Promise<void> {
    // Node-RED closes a config node with its users at once; they must hear of it first, or they would report an error.
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
    await this.client.close();
    this.#releaseScheduler();
    this.#options.release?.();
  }
}
