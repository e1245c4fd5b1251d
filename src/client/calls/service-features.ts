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

/** How long a list is used: the features of a service change only when it is updated. */
const LIST_VALID_MS = 300_000;
/** How long the features count as unknown after the list could not be read. */
const FAILURE_VALID_MS = 30_000;
/** Calls wait for the list: attempts that fail are repeated for this time only. */
const RETRIES_MS = 5_000;

/** The collaborators of `ServiceFeatures`. */
interface FeatureDependencies {
  session: Session;
  limits: ClientLimits;
  clock: Clock;
  closing: CloseSignal;
}

/** The features that the service announces in `/formats`. Read when they are needed, and again after five minutes. */
export class ServiceFeatures {
  readonly #dependencies: FeatureDependencies;
  #list: Promise<readonly string[] | undefined> | undefined;
  #validUntil = Number.NEGATIVE_INFINITY;

  constructor(dependencies: FeatureDependencies) {
    this.#dependencies = dependencies;
  }

  /** Returns whether the service announces a feature; `undefined` if the list could not be read. Throws `ABORTED`. */
  async has(feature: ServiceFeature, signal: AbortSignal): Promise<boolean | undefined> {
    const list = await raceAbort(this.#current(), signal, abortedError);
    return list?.includes(feature);
  }

  /** Throws `REFUSED` if the service announces no such feature. `action` completes "Could not …". Throws `ABORTED`. */
  async require(feature: ServiceFeature, action: string, signal: AbortSignal): Promise<void> {
    // If the list could not be read, the call itself reports the reason.
    if ((await this.has(feature, signal)) !== false) return;
    throw new ClientError('REFUSED', `Could not ${action}: the service does not support it.`);
  }

  /** Records the list in a page `/formats` that another call has read. */
  record(formats: Fields): void {
    this.#list = Promise.resolve(readNames(formats.features));
    this.#validUntil = this.#dependencies.clock.now() + LIST_VALID_MS;
  }

  // Concurrent calls share one request.
  #current(): Promise<readonly string[] | undefined> {
    if (this.#list && this.#dependencies.clock.now() < this.#validUntil) return this.#list;
    this.#validUntil = Number.POSITIVE_INFINITY;
    this.#list = this.#load();
    return this.#list;
  }

  // Never rejects: if the service does not work, the call that needs the feature reports the reason.
  async #load(): Promise<readonly string[] | undefined> {
    const { clock } = this.#dependencies;
    let validMs = FAILURE_VALID_MS;
    try {
      const list = await this.#read();
      validMs = LIST_VALID_MS;
      return list;
    } catch {
      return undefined;
    } finally {
      this.#validUntil = clock.now() + validMs;
    }
  }

  async #read(): Promise<readonly string[]> {
    const { session, limits, clock, closing } = this.#dependencies;
    const page = createFormatsSpec(limits);
    const retriesUntil = clock.now() + RETRIES_MS;
    const { signal, release } = combineSignals([closing]);
    try {
      const formats = await session.call(
        {
          ...page,
          canPrepareAgain: () => clock.now() < retriesUntil,
          read: async (reply) => {
            // A gateway may reply 401 for a page that does not exist, but the token may also have expired.
            if (reply.status === 401) throw new AttemptFailure('final', 'BAD_CREDENTIALS', 'the service returned 401');
            return page.read(reply);
          },
        },
        signal,
      );
      return readNames(formats?.features);
    } finally {
      release();
    }
  }
}
