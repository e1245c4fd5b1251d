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
import type { StartOptions } from '../types.js';
import { mayHaveBeenAccepted, toFinalError } from './final-error.js';
import type { IdempotencyKey } from './idempotency-key.js';
import { redactSecrets } from './redact-secrets.js';
import { RetryBudget } from './retry-budget.js';
import { isTransient, retryDelayMs } from './retry-policy.js';

/** The request of one attempt. Created for each attempt, because a stream can be sent only once. */
export interface PreparedRequest {
  headers: Record<string, string>;
  body?: Buffer | RequestBody;
  /** Identifies the content of a body that may change between attempts. Default: it does not change. */
  version?: string | undefined;
  /** Returns the error of reading the body, if any. It replaces the error of the attempt, and there is no retry. */
  failure?: () => ClientError | undefined;
  /** Releases the resources of the attempt. Called after success and failure; may be called more than once. */
  dispose?: () => void;
}

/** The description of one API call, independent of the number of attempts. */
export interface CallSpec<T> {
  /** Completes "Could not …" in error messages: `start repair of 1f2e…`. */
  action: string;
  method: 'GET' | 'POST' | 'DELETE';
  /** Appended to the base URL. */
  path: string;
  lane: ConnectionLane;
  times: TimeoutOptions;
  /**
   * Whether to send the body only after `100 Continue` (RFC 9110, section 10.1.1). A failure before that counts as
   * unsent.
   */
  expectContinue?: boolean;
  /** The key that is sent if keys are used. Default: a new one. */
  idempotencyKey?: IdempotencyKey | undefined;
  /** Whether the call may be repeated although the service may have processed it. */
  isIdempotent: boolean;
  /** Creates the request of one attempt. */
  prepare: () => Promise<PreparedRequest>;
  /** Whether `prepare` can be called again. Default: yes. */
  canPrepareAgain?: () => boolean;
  /** Whether the last attempt got further than the attempts before it. Resets the count of attempts. Default: no. */
  hasProgressed?: () => boolean;
  /** Replaces the sleep after attempts that were all refused because the queue of the service was full. */
  onQueueFull?: StartOptions['onQueueFull'];
  /** The statuses whose replies are passed to `read`. Default: 200. */
  successStatuses?: readonly number[];
  /** Reads the reply into the result of the call. */
  read: (reply: Reply) => Promise<T>;
}

/** The outcome of one attempt. */
export type Outcome<T> =
  | { isOk: true; value: T }
  | {
      isOk: false;
      kind: FailureKind;
      error: ClientError;
      retryAfterMs?: number | undefined;
      /** Whether the request was sent with a token. If not, the account or the token was not available. */
      hadToken: boolean;
    };

/**
 * Makes the calls of one client. Gets the account and the token before each attempt, renews the token once after a 401,
 * retries by the retry policy and the retry budget, and converts every failure to a `ClientError` without secrets. A
 * Retry-After of a 429 or 503 delays all calls of the account, unless a full queue is the reason.
 */
export class Session {
  readonly #accounts: AccountSource;
  readonly #transport: Transport;
  readonly #limits: ClientLimits;
  readonly #clock: Clock;
  readonly #budget: RetryBudget;
  /** The last token that was used, and when it was used first. */
  #token = { text: '', firstUsedAt: 0 };

  constructor(accounts: AccountSource, transport: Transport, limits: ClientLimits, clock: Clock) {
    this.#accounts = accounts;
    this.#transport = transport;
    this.#limits = limits;
    this.#clock = clock;
    this.#budget = new RetryBudget(limits, clock.now);
  }

  /** The remaining delay requested by the service (Retry-After), in ms; 0 if there is none. */
  get pauseMs(): number {
    return this.#accounts.open?.tokens.pauseMs ?? 0;
  }

  /** Attempts a call until it succeeds or may not be retried. Then throws the error of the last attempt. */
  async call<T>(spec: CallSpec<T>, signal: AbortSignal): Promise<T> {
    let hadStaleConnection = false;
    let mayBeAccepted = false;
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await this.attemptOnce(spec, signal);
      if (outcome.isOk) return outcome.value;
      const { kind, retryAfterMs } = outcome;
      mayBeAccepted ||= mayHaveBeenAccepted(kind);
      if (kind === 'stale' && spec.isIdempotent && !hadStaleConnection && canRepeat(spec)) {
        // Not counted: a stale keep-alive connection is not a failure of the service.
        hadStaleConnection = true;
        attempt -= 1;
        continue;
      }
      if (spec.hasProgressed?.()) attempt = 1;
      const failed = { kind, retryAfterMs, attempt, isIdempotent: spec.isIdempotent };
      const delayMs = retryDelayMs(failed, this.#limits, this.#clock.random);
      const budgetDelayMs = delayMs !== undefined && canRepeat(spec) ? this.#budget.tryAcquire() : undefined;
      if (delayMs === undefined || budgetDelayMs === undefined) throw toFinalError(spec, kind, outcome.error);
      const sleepMs = Math.max(delayMs, budgetDelayMs);
      const canPause = outcome.error.code === 'QUEUE_FULL' && !mayBeAccepted;
      if (canPause && spec.onQueueFull) await spec.onQueueFull(sleepMs, signal);
      else if (sleepMs > 0) await this.#clock.sleep(sleepMs, signal);
    }
  }

  /** Makes one attempt. Throws only `ABORTED` and the `TypeError` of a caller's mistake; returns any other failure. */
  async attemptOnce<T>(spec: CallSpec<T>, signal: AbortSignal): Promise<Outcome<T>> {
    let secrets: string[] = [];
    try {
      const open = await this.#accounts.current(signal);
      secrets = [open.account.clientSecret, open.account.password];
      return { isOk: true, value: await this.#sendWithToken(spec, open, secrets, signal) };
    } catch (error) {
      if (signal.aborted) throw abortedError(`The attempt to ${spec.action}`);
      if (error instanceof AttemptFailure) return this.#toFailure(spec, error, secrets);
      if (error instanceof ClientError) return toTokenFailure(spec, error);
      throw error;
    }
  }

  /**
   * Sends the request with a valid token. After a 401 it sends it again, or fails with `REFUSED` if it cannot be sent again
   * and the account is still accepted:
   * 1. once with a renewed token;
   * 2. once more after a pause if that token is new, because the service may not accept it everywhere yet.
   */
  async #sendWithToken<T>(spec: CallSpec<T>, open: OpenAccount, secrets: string[], signal: AbortSignal): Promise<T> {
    const send = (token: string) => {
      secrets.push(token);
      this.#rememberToken(token);
      return this.#exchange(spec, open.account.baseUrl, token, signal);
    };
    while (open.tokens.pauseMs > 0) await this.#clock.sleep(open.tokens.pauseMs, signal);
    const token = await open.tokens.token({ signal });
    try {
      return await send(token);
    } catch (error) {
      if (!isUnauthorized(error)) throw error;
    }
    const renewed = await open.tokens.token({ signal, staleToken: token });
    if (!canRepeat(spec)) throw createRevokedError();
    try {
      return await send(renewed);
    } catch (error) {
      const isNew = this.#clock.now() - this.#token.firstUsedAt < this.#limits.youngTokenMs;
      if (!isUnauthorized(error) || !canRepeat(spec) || !isNew) throw error;
    }
    await this.#clock.sleep(this.#limits.youngTokenPauseMs, signal);
    return send(renewed);
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
          // Stop sending: bytes after an error reply could make the service reset the connection before it is read.
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
    // A full queue refuses starts only: the polls of operations that run must continue.
    const isPaused = kind === 'throttled' && code !== 'QUEUE_FULL';
    if (isPaused && retryAfterMs !== undefined) this.#accounts.open?.tokens.pause(retryAfterMs);
    const reason = redactSecrets(failure.message, secrets);
    const message = `Could not ${spec.action}: ${reason}.`.replace(/([.!?…])\.$/, '$1');
    return {
      isOk: false,
      kind,
      error: new ClientError(code, message, { statusCode, isTransient: isTransient(kind) }),
      retryAfterMs,
      hadToken: true,
    };
  }

  #rememberToken(token: string): void {
    if (token !== this.#token.text) this.#token = { text: token, firstUsedAt: this.#clock.now() };
  }
}

function canRepeat(spec: CallSpec<unknown>): boolean {
  return spec.canPrepareAgain?.() ?? true;
}

function createRevokedError(): AttemptFailure {
  const detail =
    'the service returned 401, because it had revoked the access token, and the content cannot be sent again. Start it again';
  return new AttemptFailure('final', 'REFUSED', detail, { statusCode: 401 });
}

function isUnauthorized(error: unknown): boolean {
  return error instanceof AttemptFailure && error.kind === 'unauthorized';
}

/**
 * Returns the outcome of an attempt that got no account or no token. The request itself was not sent. The call may be
 * retried if the connection failed, and if the token source was closed because the address of the service changed. It
 * is not retried if the token endpoint replied: the token source has its own retries.
 */
function toTokenFailure(spec: CallSpec<unknown>, error: ClientError): Outcome<never> {
  if (error.code === 'ABORTED') {
    const message = `Could not ${spec.action}: the address of the service changed.`;
    const addressChanged = new ClientError('CONNECTION_FAILED', message, { isTransient: true });
    return { isOk: false, kind: 'unsent', error: addressChanged, hadToken: false };
  }
  const isUnsent = error.isTransient && error.statusCode === undefined && error.code !== 'BAD_REPLY';
  return { isOk: false, kind: isUnsent ? 'unsent' : 'final', error, hadToken: false };
}
