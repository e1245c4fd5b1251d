import type { CallbackBody } from '../../api/index.js';
import type { Limits } from '../defaults.js';
import type { Logger } from '../logger.js';
import type { CallbackOutcome, Callbacks, DueCallback } from '../store/callbacks.js';
import type { AddressFilter } from './address-filter.js';
import type { Signer } from './create-signer.js';
import { AddressNotAllowedError, type Lookup, postWithSsrfGuard } from './ssrf-guarded-post.js';

/** What one try came to. `refused`: by the rule for addresses. */
export type DeliveryAttempt = 'delivered' | 'retried' | 'refused' | 'given_up';

export interface CallbackSenderDependencies {
  callbacks: Callbacks;
  allows: AddressFilter;
  limits: Limits;
  now: () => number;
  logger: Logger;
  /** Default: the system's. */
  lookup?: Lookup;
  /** Default: callbacks are not signed. */
  sign?: Signer | undefined;
  /** Default: as it says. */
  post?: typeof postWithSsrfGuard;
  /** Told of each try. */
  onAttempt?: (outcome: DeliveryAttempt) => void;
}

// setTimeout takes no more than 2^31 ms, and a clock that was set is noticed within this time.
const MAX_TIMER_MS = 60 * 60 * 1000;

// A callback whose outcome could not be noted, on a full disk say, is still due: without a pause it would be sent again at once, for ever.
const UNRECORDED_RETRY_MS = 10_000;

const GIVEN_UP = { attemptResult: 'given_up', outcome: { state: 'given-up' } } as const;

function bodyOf({ operationId, isSuccessful }: DueCallback): string {
  const body: CallbackBody = { operationId, isSuccessful: isSuccessful ? 'true' : 'false' };
  return JSON.stringify(body);
}

/**
 * Sends callbacks. The life of one: it is *due* from the completion of its operation on. A try that is answered with 2xx has *delivered* it; 410,
 * an address that the rule refuses, and the last of the planned tries mean that it is *given up*; after any other try it is due again when the next
 * pause is over. It may arrive twice, where the reply was lost or the service died before it noted it.
 */
export class CallbackSender {
  readonly #dependencies: CallbackSenderDependencies;
  readonly #stopping = new AbortController();
  readonly #sending = new Map<string, Promise<void>>();
  #scanning: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  constructor(dependencies: CallbackSenderDependencies) {
    this.#dependencies = dependencies;
  }

  /** Looks for callbacks that are due: to be called whenever an operation was completed. */
  wake(): void {
    const { logger } = this.#dependencies;
    clearTimeout(this.#timer);
    this.#scanning = this.#scanning
      .then(() => this.#sendDue())
      .catch((err: unknown) => logger.error({ err }, 'callbacks could not be read'));
  }

  /** Breaks off what is being sent; it is sent again after the next start. */
  async close(): Promise<void> {
    this.#stopping.abort(new Error('the service stops'));
    await this.#scanning;
    await Promise.all(this.#sending.values());
    await this.#scanning; // the last one to end looked once more
    clearTimeout(this.#timer);
  }

  async #sendDue(): Promise<void> {
    const { callbacks, limits, now } = this.#dependencies;
    if (this.#stopping.signal.aborted) return;
    // Those that are being sent stand first in the list: ask for as many more.
    const next = await callbacks.next(limits.maxConcurrentCallbacks + this.#sending.size);
    for (const callback of next) {
      if (this.#sending.has(callback.operationId)) continue;
      if (this.#sending.size >= limits.maxConcurrentCallbacks) return;
      const pause = callback.nextAt - now();
      if (pause > 0) {
        this.#scheduleWake(Math.min(pause, MAX_TIMER_MS));
        return;
      }
      this.#start(callback);
    }
  }

  #start(callback: DueCallback): void {
    const { logger } = this.#dependencies;
    const one = this.#deliver(callback).then(
      () => {
        this.#sending.delete(callback.operationId);
        this.wake();
      },
      (err: unknown) => {
        logger.error({ err }, 'the outcome of a callback could not be noted');
        this.#sending.delete(callback.operationId);
        this.#scheduleWake(UNRECORDED_RETRY_MS);
      },
    );
    this.#sending.set(callback.operationId, one);
  }

  #scheduleWake(ms: number): void {
    if (this.#stopping.signal.aborted) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.wake(), ms);
  }

  async #deliver(callback: DueCallback): Promise<void> {
    const { attemptResult, outcome } = await this.#attemptDelivery(callback);
    if (this.#stopping.signal.aborted && outcome.state === 'due') return; // broken off, not failed
    this.#dependencies.onAttempt?.(attemptResult);
    await this.#dependencies.callbacks.recordAttempt(callback.operationId, callback.attempts + 1, outcome);
  }

  async #attemptDelivery(callback: DueCallback): Promise<{ attemptResult: DeliveryAttempt; outcome: CallbackOutcome }> {
    const { allows, limits, logger, lookup, now, sign, post = postWithSsrfGuard } = this.#dependencies;
    const log = logger.child({ operationId: callback.operationId, attempt: callback.attempts + 1 });
    try {
      const body = bodyOf(callback);
      const headers = sign?.(callback.operationId, body, now());
      const options = { allows, lookup, headers, signal: this.#stopping.signal, timeoutMs: limits.callbackTimeoutMs };
      const status = await post(callback.url, body, options);
      if (status >= 200 && status < 300) return { attemptResult: 'delivered', outcome: { state: 'delivered' } };
      log.warn({ status }, 'a callback was refused');
      if (status === 410) return GIVEN_UP;
    } catch (err) {
      log.warn({ err }, 'a callback could not be sent');
      if (err instanceof AddressNotAllowedError) return { ...GIVEN_UP, attemptResult: 'refused' };
    }
    const pause = limits.callbackRetryDelaysMs[callback.attempts];
    if (pause === undefined) return GIVEN_UP;
    return { attemptResult: 'retried', outcome: { state: 'due', nextAt: now() + pause } };
  }
}
