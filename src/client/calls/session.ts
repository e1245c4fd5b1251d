import { ClientError } from '../client-error.js';
import type { ClientLimits } from '../client-limits.js';
import { abortedError, type Clock } from '../clock.js';
import { readErrorReply } from '../replies/read-error-reply.js';
import type { AccountSource, OpenAccount } from '../tokens/account-source.js';
import type { ConnectionLane } from '../transport/agent-pool.js';
import { AttemptFailure, type FailureKind } from '../transport/attempt-failure.js';
import type { RequestBody } from '../transport/request-body.js';
import type { TimeoutOptions } from '../transport/request-timeouts.js';
import type { Reply, Transport } from '../transport/transport.js';
import { redactSecrets } from './redact-secrets.js';
import { RetryBudget } from './retry-budget.js';
import { isTransient, retryDelayMs } from './retry-policy.js';

/** What goes out in one try. Made anew for each, since a stream can be sent only once. */
export interface PreparedRequest {
  headers: Record<string, string>;
  body?: Buffer | RequestBody;
  /** What went wrong with the bytes to send themselves: then that is the error, and no other try is made. */
  failure?: () => ClientError | undefined;
  /** Lets go of what the try held open, whatever came of it. */
  dispose?: () => void;
}

/** One call of the API, as often as it has to be tried. */
export interface CallSpec<T> {
  /** What is attempted, to follow "Could not": `start repair of 1f2e…`. */
  action: string;
  method: 'GET' | 'POST';
  /** Below the base URL. */
  path: string;
  lane: ConnectionLane;
  times: TimeoutOptions;
  /** Send the body only once the service asks for it: what breaks before that is repeated like a connection that was never there. */
  expectContinue?: boolean;
  /** May it be sent again where the service may have acted on it? */
  isIdempotent: boolean;
  prepare: () => Promise<PreparedRequest>;
  /** Can `prepare` serve another time? Default: yes. */
  canPrepareAgain?: () => boolean;
  /** Whether the last attempt came further than those before it: then attempts are counted anew. Default: no. */
  hasProgressed?: () => boolean;
  /** Statuses that `read` takes. Default: 200 alone. */
  successStatuses?: readonly number[];
  read: (reply: Reply) => Promise<T>;
}

/** What came of one try. */
export type Outcome<T> =
  | { isOk: true; value: T }
  | {
      isOk: false;
      kind: FailureKind;
      error: ClientError;
      retryAfterMs?: number | undefined;
      /** Whether the call itself failed; else there was no account or no token for it. */
      hadToken: boolean;
    };

/**
 * Makes the calls of one client: asks for account and token before each try, renews the token once on a 401, repeats what may
 * be repeated, and turns every failure into a `ClientError` with no secret in it. When the service asks for a pause
 * (Retry-After of a 429 or 503), all calls of the account keep it.
 */
export class Session {
  readonly #accounts: AccountSource;
  readonly #transport: Transport;
  readonly #limits: ClientLimits;
  readonly #clock: Clock;
  readonly #budget: RetryBudget;
  #token = { text: '', seenAt: 0 };

  constructor(accounts: AccountSource, transport: Transport, limits: ClientLimits, clock: Clock) {
    this.#accounts = accounts;
    this.#transport = transport;
    this.#limits = limits;
    this.#clock = clock;
    this.#budget = new RetryBudget(limits, clock.now);
  }

  /** How many ms the service still asks us to leave it alone; 0 where it does not. */
  get pauseMs(): number {
    return this.#accounts.open?.tokens.pauseMs ?? 0;
  }

  /** Tries until it works or the policy says no more; then throws the last try's error. */
  async call<T>(spec: CallSpec<T>, signal: AbortSignal): Promise<T> {
    let hadDeadConnection = false;
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await this.attemptOnce(spec, signal);
      if (outcome.isOk) return outcome.value;
      const { kind, retryAfterMs } = outcome;
      if (kind === 'stale' && spec.isIdempotent && !hadDeadConnection && canRepeat(spec)) {
        // A kept connection that was dead says nothing of the service: that try counts for none.
        hadDeadConnection = true;
        attempt -= 1;
        continue;
      }
      if (spec.hasProgressed?.()) attempt = 1;
      const failed = { kind, retryAfterMs, attempt, isIdempotent: spec.isIdempotent };
      const delayMs = retryDelayMs(failed, this.#limits, this.#clock.random);
      const turnMs = delayMs !== undefined && canRepeat(spec) ? this.#budget.tryAcquire() : undefined;
      if (delayMs === undefined || turnMs === undefined) throw withUnknownOutcome(spec, kind, outcome.error);
      const pauseMs = Math.max(delayMs, turnMs);
      if (pauseMs > 0) await this.#clock.sleep(pauseMs, signal);
    }
  }

  /** One try. Throws `ABORTED` and a caller's `TypeError` only. */
  async attemptOnce<T>(spec: CallSpec<T>, signal: AbortSignal): Promise<Outcome<T>> {
    let secrets: string[] = [];
    try {
      const open = await this.#accounts.current(signal);
      secrets = [open.account.clientSecret, open.account.password];
      return { isOk: true, value: await this.#authorized(spec, open, secrets, signal) };
    } catch (error) {
      if (signal.aborted) throw abortedError(`The attempt to ${spec.action}`);
      if (error instanceof AttemptFailure) return this.#toFailure(spec, error, secrets);
      if (error instanceof ClientError) return tokenFailure(spec, error);
      throw error;
    }
  }

  async #authorized<T>(spec: CallSpec<T>, open: OpenAccount, secrets: string[], signal: AbortSignal): Promise<T> {
    const attempt = (token: string) => {
      secrets.push(token);
      this.#rememberToken(token);
      return this.#exchange(spec, open.account.baseUrl, token, signal);
    };
    while (open.tokens.pauseMs > 0) await this.#clock.sleep(open.tokens.pauseMs, signal);
    const token = await open.tokens.token({ signal });
    try {
      return await attempt(token);
    } catch (error) {
      if (!isUnauthorized(error) || !canRepeat(spec)) throw error;
    }
    const renewed = await open.tokens.token({ signal, staleToken: token });
    try {
      return await attempt(renewed);
    } catch (error) {
      const isYoung = this.#clock.now() - this.#token.seenAt < this.#limits.youngTokenMs;
      if (!isUnauthorized(error) || !canRepeat(spec) || !isYoung) throw error;
    }
    await this.#clock.sleep(this.#limits.youngTokenPauseMs, signal);
    return attempt(renewed);
  }

  async #exchange<T>(spec: CallSpec<T>, baseUrl: string, token: string, signal: AbortSignal): Promise<T> {
    const { headers, body, failure, dispose } = await spec.prepare();
    try {
      const request = {
        method: spec.method,
        url: new URL(baseUrl + spec.path),
        lane: spec.lane,
        headers: { ...headers, Authorization: `Bearer ${token}` },
        ...(body && { body }),
        ...(spec.expectContinue && { expectContinue: true }),
        times: spec.times,
        signal,
      };
      return await this.#transport.exchange(request, async (reply) => {
        const isExpected = (spec.successStatuses ?? [200]).includes(reply.status);
        if (!isExpected) {
          // It has made up its mind: more bytes of ours would only break the connection before its reason is read.
          dispose?.();
          throw await readErrorReply(reply, this.#limits);
        }
        return spec.read(reply);
      });
    } catch (error) {
      throw failure?.() ?? error;
    } finally {
      dispose?.();
    }
  }

  #toFailure(spec: CallSpec<unknown>, failure: AttemptFailure, secrets: string[]): Outcome<never> {
    const { kind, code, statusCode, retryAfterMs } = failure;
    if (kind === 'throttled' && retryAfterMs !== undefined) this.#accounts.open?.tokens.pause(retryAfterMs);
    const message = `Could not ${spec.action}: ${redactSecrets(failure.message, secrets)}.`.replace(
      /([.!?…])\.$/,
      '$1',
    );
    return {
      isOk: false,
      kind,
      error: new ClientError(code, message, { statusCode, isTransient: isTransient(kind) }),
      retryAfterMs,
      hadToken: true,
    };
  }

  #rememberToken(token: string): void {
    if (token !== this.#token.text) this.#token = { text: token, seenAt: this.#clock.now() };
  }
}

const MAY_BE_ACCEPTED: ReadonlySet<FailureKind> = new Set<FailureKind>([
  'lost',
  'hung',
  'stale',
  'gateway',
  'server',
  'garbled',
]);

function canRepeat(spec: CallSpec<unknown>): boolean {
  return spec.canPrepareAgain?.() ?? true;
}

function isUnauthorized(error: unknown): boolean {
  return error instanceof AttemptFailure && error.kind === 'unauthorized';
}

/**
 * An account or a token that could not be had. Nothing of the call itself was sent, so for want of a connection it may be
 * tried again; also where the token source was closed under it, because the service has come back at another address. Where the token
 * endpoint answered, its own attempts have been made already.
 */
function tokenFailure(spec: CallSpec<unknown>, error: ClientError): Outcome<never> {
  if (error.code === 'ABORTED') {
    const message = `Could not ${spec.action}: the service has moved.`;
    const moved = new ClientError('CONNECTION_FAILED', message, { isTransient: true });
    return { isOk: false, kind: 'unsent', error: moved, hadToken: false };
  }
  const isUnsent = error.isTransient && error.statusCode === undefined && error.code !== 'BAD_REPLY';
  return { isOk: false, kind: isUnsent ? 'unsent' : 'final', error, hadToken: false };
}

/** What must not be repeated, and may have been accepted, ends with a code of its own: also where a reply came that tells no id. */
function withUnknownOutcome(spec: CallSpec<unknown>, kind: FailureKind, error: ClientError): ClientError {
  if (spec.isIdempotent || !MAY_BE_ACCEPTED.has(kind)) return error;
  const message = `${error.message} It may have been accepted all the same; it was not repeated.`;
  return new ClientError('OUTCOME_UNKNOWN', message, { statusCode: error.statusCode });
}
