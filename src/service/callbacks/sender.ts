import type { CallbackBody } from '../../api/index.js';
import type { Limits } from '../defaults.js';
import type { Logger } from '../logger.js';
import type { CallbackOutcome, Callbacks, DueCallback } from '../store/callbacks.js';
import type { AddressRule } from './address-rule.js';
import { AddressRefused, type Lookup, postGuarded } from './post-guarded.js';
import type { Signer } from './sign.js';

/** What one try came to. `refused`: by the rule for addresses. */
export type CallbackTry = 'delivered' | 'retried' | 'refused' | 'given_up';

export interface SenderParts {
  callbacks: Callbacks;
  allows: AddressRule;
  limits: Limits;
  now: () => number;
  logger: Logger;
  /** Default: the system's. */
  lookup?: Lookup;
  /** Default: callbacks are not signed. */
  sign?: Signer | undefined;
  /** Default: as it says. */
  post?: typeof postGuarded;
  /** Told of each try. */
  onTried?: (outcome: CallbackTry) => void;
}

// setTimeout takes no more than 2^31 ms, and a clock that was set is noticed within this time.
const LONGEST_SLEEP_MS = 60 * 60 * 1000;

// A callback whose outcome could not be noted, on a full disk say, is still due: without a pause it would be sent again at once, for ever.
const UNNOTED_PAUSE_MS = 10_000;

const GIVEN_UP = { tried: 'given_up', outcome: { state: 'given-up' } } as const;

const bodyOf = ({ operationId, isSuccessful }: DueCallback): string => {
  const body: CallbackBody = { operationId, isSuccessful: isSuccessful ? 'true' : 'false' };
  return JSON.stringify(body);
};

/**
 * Sends callbacks. The life of one: it is *due* from the completion of its operation on. A try that is answered with 2xx has *delivered* it; 410,
 * an address that the rule refuses, and the last of the planned tries mean that it is *given up*; after any other try it is due again when the next
 * pause is over. It may arrive twice, where the reply was lost or the service died before it noted it.
 */
export class Sender {
  readonly #parts: SenderParts;
  readonly #stopping = new AbortController();
  readonly #sending = new Map<string, Promise<void>>();
  #looking: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: SenderParts) {
    this.#parts = parts;
  }

  /** Looks for callbacks that are due: to be called whenever an operation was completed. */
  wake(): void {
    const { logger } = this.#parts;
    clearTimeout(this.#timer);
    this.#looking = this.#looking
      .then(() => this.#startDue())
      .catch((err: unknown) => logger.error({ err }, 'callbacks could not be read'));
  }

  /** Breaks off what is being sent; it is sent again after the next start. */
  async close(): Promise<void> {
    this.#stopping.abort(new Error('the service stops'));
    await this.#looking;
    await Promise.all(this.#sending.values());
    await this.#looking; // the last one to end looked once more
    clearTimeout(this.#timer);
  }

  async #startDue(): Promise<void> {
    const { callbacks, limits, now } = this.#parts;
    if (this.#stopping.signal.aborted) return;
    // Those that are being sent stand first in the list: ask for as many more.
    const next = await callbacks.next(limits.maxConcurrentCallbacks + this.#sending.size);
    for (const callback of next) {
      if (this.#sending.has(callback.operationId)) continue;
      if (this.#sending.size >= limits.maxConcurrentCallbacks) return;
      const pause = callback.nextAt - now();
      if (pause > 0) {
        this.#wakeIn(Math.min(pause, LONGEST_SLEEP_MS));
        return;
      }
      this.#start(callback);
    }
  }

  #start(callback: DueCallback): void {
    const { logger } = this.#parts;
    const one = this.#work(callback).then(
      () => {
        this.#sending.delete(callback.operationId);
        this.wake();
      },
      (err: unknown) => {
        logger.error({ err }, 'the outcome of a callback could not be noted');
        this.#sending.delete(callback.operationId);
        this.#wakeIn(UNNOTED_PAUSE_MS);
      },
    );
    this.#sending.set(callback.operationId, one);
  }

  #wakeIn(ms: number): void {
    if (this.#stopping.signal.aborted) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.wake(), ms);
  }

  async #work(callback: DueCallback): Promise<void> {
    const { tried, outcome } = await this.#send(callback);
    if (this.#stopping.signal.aborted && outcome.state === 'due') return; // broken off, not failed
    this.#parts.onTried?.(tried);
    await this.#parts.callbacks.recordAttempt(callback.operationId, callback.attempts + 1, outcome);
  }

  async #send(callback: DueCallback): Promise<{ tried: CallbackTry; outcome: CallbackOutcome }> {
    const { allows, limits, logger, lookup, now, sign, post = postGuarded } = this.#parts;
    const log = logger.child({ operationId: callback.operationId, attempt: callback.attempts + 1 });
    try {
      const body = bodyOf(callback);
      const headers = sign?.(callback.operationId, body, now());
      const options = { allows, lookup, headers, signal: this.#stopping.signal, timeoutMs: limits.callbackTimeoutMs };
      const status = await post(callback.url, body, options);
      if (status >= 200 && status < 300) return { tried: 'delivered', outcome: { state: 'delivered' } };
      log.warn({ status }, 'a callback was refused');
      if (status === 410) return GIVEN_UP;
    } catch (err) {
      log.warn({ err }, 'a callback could not be sent');
      if (err instanceof AddressRefused) return { ...GIVEN_UP, tried: 'refused' };
    }
    const pause = limits.callbackRetryDelaysMs[callback.attempts];
    if (pause === undefined) return GIVEN_UP;
    return { tried: 'retried', outcome: { state: 'due', nextAt: now() + pause } };
  }
}
