import type { CallbackBody } from '../../api/index.js';
import type { Limits } from '../defaults.js';
import type { Logger } from '../logger.js';
import type { CallbackOutcome, Callbacks, DueCallback } from '../store/callbacks.js';
import type { AddressFilter } from './address-filter.js';
import type { Signer } from './create-signer.js';
import { FailingAddresses } from './failing-addresses.js';
import { hostPrefixOf, SlowHosts } from './slow-hosts.js';
import { AddressNotAllowedError, type Lookup, postWithSsrfGuard } from './ssrf-guarded-post.js';

/** The outcome of one delivery attempt. `refused`: by the address filter. */
export type DeliveryAttempt = 'delivered' | 'retried' | 'refused' | 'given_up';

/** The dependencies of a `CallbackSender`. */
export interface CallbackSenderDependencies {
  callbacks: Callbacks;
  isAllowed: AddressFilter;
  limits: Limits;
  now: () => number;
  /** Returns a time in ms that changes of the system clock do not affect. */
  monotonicNow: () => number;
  logger: Logger;
  /** Resolves host names. Default: `dns.lookup`. */
  lookup?: Lookup;
  /** Default: callbacks are not signed. */
  sign?: Signer | undefined;
  /** Default: `postWithSsrfGuard`. */
  post?: typeof postWithSsrfGuard;
  /** Called after each attempt. */
  onAttempt?: (outcome: DeliveryAttempt) => void;
}

// Below the 2^31 ms that setTimeout accepts, and short enough to notice a changed system clock.
const MAX_TIMER_MS = 60 * 60 * 1000;

// A callback whose outcome could not be stored, for example on a full disk, is still due. Without this delay it would
// be resent in a loop.
const UNRECORDED_RETRY_MS = 10_000;

const GIVEN_UP = { attemptResult: 'given_up', outcome: { state: 'given-up' } } as const;

function createBody({ operationId, isSuccessful }: DueCallback): string {
  const body: CallbackBody = { operationId, isSuccessful: isSuccessful ? 'true' : 'false' };
  return JSON.stringify(body);
}

/**
 * Sends callbacks and retries them with backoff.
 *
 * States: a callback is *due* once its operation has completed. An attempt that gets a 2xx reply makes it *delivered*.
 * It is *given up* after a 410 reply (its receiver has withdrawn the address), after a 404 reply if the next attempt
 * would be later than `callbackNotFoundMs` after the first, if the address filter refuses its address, and after the
 * last retry. After any other attempt it is due again after the next delay of `callbackRetryDelaysMs`. Delivery is at
 * least once: it is repeated if the reply was lost or the service crashed before it stored the outcome.
 *
 * Users take turns: each has a share of the requests that are sent at a time, and the one with the fewest is served
 * first. A host that takes long to fail delays no other: all callbacks of the user to it wait, and then one is tried alone.
 *
 * Failed attempts are logged with the level debug, except the first at an address that does not already fail.
 */
export class CallbackSender {
  readonly #dependencies: CallbackSenderDependencies;
  readonly #stopping = new AbortController();
  /** The id of the operation → its callback, and the end of the attempt. */
  readonly #sending = new Map<string, { callback: DueCallback; delivery: Promise<void> }>();
  readonly #slowHosts = new SlowHosts();
  readonly #failingAddresses = new FailingAddresses();
  #scanning: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  constructor(dependencies: CallbackSenderDependencies) {
    this.#dependencies = dependencies;
  }

  /** Sends due callbacks. To be called whenever an operation has completed. */
  wake(): void {
    const { logger } = this.#dependencies;
    clearTimeout(this.#timer);
    this.#scanning = this.#scanning
      .then(() => this.#sendDue())
      .catch((err: unknown) => logger.error({ err }, 'Could not read due callbacks'));
  }

  /** Aborts running deliveries, which are repeated after the next start. */
  async close(): Promise<void> {
    this.#stopping.abort(new Error('The service is stopping.'));
    await this.#scanning;
    await Promise.all([...this.#sending.values()].map(({ delivery }) => delivery));
    await this.#scanning; // the last delivery may have started another scan
    clearTimeout(this.#timer);
  }

  async #sendDue(): Promise<void> {
    const { callbacks, limits, now } = this.#dependencies;
    if (this.#stopping.signal.aborted) return;
    const turns = (await callbacks.findTurns([...this.#sending.keys()]))
      .map((turn) => ({ ...turn, sending: this.#countSending((callback) => callback.owner === turn.owner) }))
      .sort((left, right) => left.sending - right.sending || left.nextAt - right.nextAt);
    let wakeAt = Number.POSITIVE_INFINITY;
    for (const { owner, nextAt, sending } of turns) {
      const free = limits.maxConcurrentCallbacks - this.#sending.size;
      const count = Math.min(free, limits.maxConcurrentCallbacksPerUser - sending);
      if (nextAt > now()) wakeAt = Math.min(wakeAt, nextAt);
      else if (count > 0) await this.#sendDueOf(owner, count);
    }
    if (wakeAt < Number.POSITIVE_INFINITY) this.#scheduleWake(Math.min(wakeAt - now(), MAX_TIMER_MS));
  }

  #countSending(isCounted: (callback: DueCallback) => boolean): number {
    return [...this.#sending.values()].filter(({ callback }) => isCounted(callback)).length;
  }

  async #sendDueOf(owner: string, count: number): Promise<void> {
    const { callbacks, limits, now } = this.#dependencies;
    for (const callback of await callbacks.findDue(owner, count, [...this.#sending.keys()])) {
      const prefix = hostPrefixOf(callback.url);
      const isTried = this.#countSending((other) => other.owner === owner && other.url.startsWith(prefix)) > 0;
      if (isTried && this.#slowHosts.has(callback)) {
        await callbacks.postpone(owner, prefix, now() + limits.callbackTimeoutMs);
        this.wake(); // there may be callbacks to other hosts
      } else this.#start(callback);
    }
  }

  #start(callback: DueCallback): void {
    const { logger } = this.#dependencies;
    const delivery = this.#deliver(callback).then(
      () => {
        this.#sending.delete(callback.operationId);
        this.wake();
      },
      (err: unknown) => {
        logger.error({ err }, 'Could not store the outcome of a callback');
        this.#sending.delete(callback.operationId);
        this.#scheduleWake(UNRECORDED_RETRY_MS);
      },
    );
    this.#sending.set(callback.operationId, { callback, delivery });
  }

  #scheduleWake(ms: number): void {
    if (this.#stopping.signal.aborted) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.wake(), ms);
  }

  async #deliver(callback: DueCallback): Promise<void> {
    const { monotonicNow, limits } = this.#dependencies;
    const startedAt = monotonicNow();
    const { attemptResult, outcome } = await this.#attemptDelivery(callback);
    if (this.#stopping.signal.aborted && outcome.state === 'due') return; // aborted by close, not failed
    const isSlow = monotonicNow() - startedAt >= limits.slowCallbackMs;
    if (isSlow && attemptResult !== 'delivered') await this.#backOff(callback);
    else this.#slowHosts.remove(callback);
    this.#dependencies.onAttempt?.(attemptResult);
    await this.#dependencies.callbacks.recordAttempt(callback.operationId, callback.attempts + 1, outcome);
  }

  async #backOff(callback: DueCallback): Promise<void> {
    const { callbacks, now } = this.#dependencies;
    const delayMs = this.#slowHosts.add(callback);
    await callbacks.postpone(callback.owner, hostPrefixOf(callback.url), now() + delayMs);
  }

  async #attemptDelivery(callback: DueCallback): Promise<{ attemptResult: DeliveryAttempt; outcome: CallbackOutcome }> {
    const { isAllowed, limits, lookup, now, sign, post = postWithSsrfGuard } = this.#dependencies;
    let status: number | undefined;
    try {
      const body = createBody(callback);
      const headers = sign?.(callback.operationId, body, now());
      const options = {
        isAllowed,
        lookup,
        headers,
        signal: this.#stopping.signal,
        timeoutMs: limits.callbackTimeoutMs,
      };
      status = await post(callback.url, body, options);
      const isDelivered = status >= 200 && status < 300;
      if (isDelivered || status === 410) this.#failingAddresses.remove(callback.url);
      if (isDelivered) return { attemptResult: 'delivered', outcome: { state: 'delivered' } };
      if (status === 410) return GIVEN_UP;
      this.#logFailure(callback, { status });
    } catch (err) {
      this.#logFailure(callback, { reason: err instanceof Error ? err.message : String(err) });
      if (err instanceof AddressNotAllowedError) return { ...GIVEN_UP, attemptResult: 'refused' };
    }
    const delayMs = limits.callbackRetryDelaysMs[callback.attempts];
    if (delayMs === undefined || (status === 404 && isNotFoundTooLong(callback, limits))) return GIVEN_UP;
    return { attemptResult: 'retried', outcome: { state: 'due', nextAt: now() + delayMs } };
  }

  // A receiver that is down would otherwise fill the log. Retries are not logged as warnings either: after a restart of
  // the service, the addresses that failed are not known.
  #logFailure(callback: DueCallback, cause: { status: number } | { reason: string }): void {
    if (this.#stopping.signal.aborted) return;
    const { operationId, attempts, url } = callback;
    const isNew = attempts === 0 && this.#failingAddresses.add(url);
    const address = new URL(url).origin;
    if (isNew) this.#dependencies.logger.warn({ address, ...cause }, 'Callbacks do not reach this address');
    else
      this.#dependencies.logger.debug(
        { operationId, attempt: attempts + 1, address, ...cause },
        'Could not send a callback',
      );
  }
}

// Whether the next attempt would be too late after the first one to expect anything else than another 404.
function isNotFoundTooLong({ attempts }: DueCallback, { callbackRetryDelaysMs, callbackNotFoundMs }: Limits): boolean {
  const nextAfterMs = callbackRetryDelaysMs.slice(0, attempts + 1).reduce((sum, delayMs) => sum + delayMs, 0);
  return nextAfterMs > callbackNotFoundMs;
}
