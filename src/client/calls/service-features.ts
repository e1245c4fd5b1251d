import { ClientError } from '../client-error.js';
import type { ClientLimits } from '../client-limits.js';
import { abortedError, type Clock } from '../clock.js';
import type { CloseSignal } from '../close-signal.js';
import { combineSignals, raceAbort } from '../combine-signals.js';
import type { Fields } from '../replies/read-fields.js';
import { AttemptFailure } from '../transport/attempt-failure.js';
import { createFormatsSpec, readNames } from './describe-service.js';
import type { Session } from './session.js';

/** The additions to the common API that a client uses if the service announces them. */
export type ServiceFeature = 'cancel' | 'delete' | 'list' | 'idempotency-key';

/** The collaborators of `ServiceFeatures`. */
interface FeatureDependencies {
  session: Session;
  limits: ClientLimits;
  clock: Clock;
  closing: CloseSignal;
}

/**
 * The features that the service announces in `/formats`. Read when they are needed, and again after five minutes. If
 * the page cannot be read then, the features of the last page are used.
 */
export class ServiceFeatures {
  readonly #dependencies: FeatureDependencies;
  /** The last list that was read. */
  #list: readonly string[] | undefined;
  /** The error of the last attempt to read it, while there is no list. */
  #failure: unknown;
  #isMissing: boolean = false;
  #reading: Promise<void> | undefined;
  #validUntil = Number.NEGATIVE_INFINITY;

  constructor(dependencies: FeatureDependencies) {
    this.#dependencies = dependencies;
  }

  /** Returns whether the service announces a feature; `undefined` if no list has been read. Throws `ABORTED`. */
  async has(feature: ServiceFeature, signal: AbortSignal): Promise<boolean | undefined> {
    return this.#has(feature, false, signal);
  }

  /**
   * Throws `REFUSED` if the service announces no such feature, and the error of the page if no list has been read: a
   * service must not receive requests that it may not know. Throws `ABORTED`. `action` completes "Could not …".
   */
  async require(feature: ServiceFeature, action: string, signal: AbortSignal): Promise<void> {
    // The caller needs the feature now: a read that failed is repeated without a delay.
    if (this.#list === undefined) this.#validUntil = Number.NEGATIVE_INFINITY;
    const isAnnounced = await this.#has(feature, true, signal);
    if (isAnnounced === true) return;
    if (isAnnounced === false)
      throw new ClientError('REFUSED', `Could not ${action}: the service does not support it.`);
    if (!(this.#failure instanceof ClientError)) throw this.#failure;
    const { code, message, statusCode, isTransient } = this.#failure;
    throw new ClientError(code, `Could not ${action}. ${message}`, { statusCode, isTransient });
  }

  async #has(feature: ServiceFeature, canRenew: boolean, signal: AbortSignal): Promise<boolean | undefined> {
    await raceAbort(this.#update(canRenew), signal, abortedError);
    return this.#list?.includes(feature);
  }

  /** Records the list in a page `/formats` that another call has read, or that there is no such page. */
  record(formats: Fields | undefined): void {
    this.#list = readNames(formats?.features);
    this.#isMissing = formats === undefined;
    const { clock, limits } = this.#dependencies;
    this.#validUntil = clock.now() + limits.featuresValidMs;
  }

  /** True if the service had no page `/formats` when it was read last. It is read again after five minutes. */
  get isPageMissing(): boolean {
    return this.#isMissing && this.#dependencies.clock.now() < this.#validUntil;
  }

  // Concurrent calls share one request.
  #update(canRenew: boolean): Promise<void> {
    if (!this.#reading && this.#dependencies.clock.now() >= this.#validUntil)
      this.#reading = this.#load(canRenew).finally(() => {
        this.#reading = undefined;
      });
    return this.#reading ?? Promise.resolve();
  }

  // Never rejects: a call that can do without the feature is made.
  async #load(canRenew: boolean): Promise<void> {
    const { clock, limits } = this.#dependencies;
    try {
      this.record(await this.#read(canRenew));
    } catch (error) {
      this.#failure = error;
      this.#validUntil = clock.now() + limits.featuresRetryMs;
    }
  }

  // `canRenew`: whether to renew the token after a 401.
  async #read(canRenew: boolean): Promise<Fields | undefined> {
    const { session, limits, clock, closing } = this.#dependencies;
    const page = createFormatsSpec(limits);
    const retriesUntil = clock.now() + limits.featuresTimeoutMs;
    const { signal, release } = combineSignals([closing]);
    try {
      return await session.call(
        {
          ...page,
          canPrepareAgain: () => clock.now() < retriesUntil,
          read: async (reply) => {
            // A gateway may reply 401 for a page that does not exist, but the token may also have expired.
            if (reply.status === 401) {
              const kind = canRenew ? 'unauthorized' : 'final';
              throw new AttemptFailure(kind, 'REFUSED', 'the service returned 401', { statusCode: 401 });
            }
            return page.read(reply);
          },
        },
        signal,
      );
    } finally {
      release();
    }
  }
}
