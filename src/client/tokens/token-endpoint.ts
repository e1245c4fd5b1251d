import { redactSecrets } from '../calls/redact-secrets.js';
import { isTransient, retryDelayMs } from '../calls/retry-policy.js';
import { ClientError } from '../client-error.js';
import type { ClientLimits } from '../client-limits.js';
import { abortedError, type Clock } from '../clock.js';
import { readErrorReply } from '../replies/read-error-reply.js';
import { readFields, readOptional, readText } from '../replies/read-fields.js';
import { parseReplyJson, readReplyText } from '../replies/reply-body.js';
import { AttemptFailure, type FailureKind } from '../transport/attempt-failure.js';
import type { Reply, Transport } from '../transport/transport.js';
import type { Account } from '../types.js';
import type { RateLimitPause } from './rate-limit-pause.js';

/** A token of the token endpoint (RFC 6749, section 5.1). Times are in ms of the monotonic clock. */
export interface IssuedToken {
  accessToken: string;
  refreshToken: string | undefined;
  /** The time just before the request was sent. The token was issued later. */
  requestedAt: number;
  lifetimeMs: number;
}

/**
 * The grant of a token request (RFC 6749, sections 4.3 and 6). `password` uses username and password of the account.
 */
export type Grant = 'password' | { grant_type: 'refresh_token'; refresh_token: string };

/** The failures without a reply. They have fewer attempts here, since each call that needs a token tries again. */
const FAILURES_WITHOUT_REPLY: ReadonlySet<FailureKind> = new Set<FailureKind>(['stale', 'lost', 'hung']);
const DEFAULT_LIFETIME_S = 60;
const MAX_LIFETIME_S = 86_400;

/** Requests tokens from the token endpoint for one account. */
export class TokenEndpoint {
  readonly #account: Account;
  readonly #transport: Transport;
  readonly #limits: ClientLimits;
  readonly #clock: Clock;
  readonly #pause: RateLimitPause;

  /** Waits for `pause` before each request, and extends it by the Retry-After of the endpoint. */
  constructor(account: Account, transport: Transport, limits: ClientLimits, clock: Clock, pause: RateLimitPause) {
    this.#account = account;
    this.#transport = transport;
    this.#limits = limits;
    this.#clock = clock;
    this.#pause = pause;
  }

  /**
   * Requests a token. Retries the password grant, but never sends a refresh token twice: reuse may revoke the whole
   * token family (RFC 9700, section 4.14.2). Does not retry if no connection could be established: the caller tries
   * again, and may know a new address by then. Throws `ClientError`.
   */
  async request(grant: Grant, signal: AbortSignal): Promise<IssuedToken> {
    for (let attempt = 1; ; attempt += 1) {
      await this.#pause.wait(signal);
      try {
        return await this.#requestOnce(grant, signal);
      } catch (error) {
        if (!(error instanceof AttemptFailure)) throw error;
        if (error.kind === 'throttled' && error.retryAfterMs !== undefined) this.#pause.extend(error.retryAfterMs);
        const { maxTries } = this.#limits;
        const limits = FAILURES_WITHOUT_REPLY.has(error.kind)
          ? { ...this.#limits, maxOutageTries: maxTries }
          : this.#limits;
        const delayMs =
          grant === 'password' && error.kind !== 'unsent'
            ? retryDelayMs({ ...toRetryInput(error), attempt, isIdempotent: true }, limits, this.#clock.random)
            : undefined;
        if (delayMs === undefined) throw this.#toClientError(error, grant);
        await this.#clock.sleep(delayMs, signal);
      }
    }
  }

  /** Closes all connections. */
  close(): void {
    this.#transport.close();
  }

  async #requestOnce(grant: Grant, signal: AbortSignal): Promise<IssuedToken> {
    if (signal.aborted) throw abortedError('The token request');
    const { baseUrl, clientId, clientSecret, username, password } = this.#account;
    const form = grant === 'password' ? { grant_type: 'password', username, password } : grant;
    const body = Buffer.from(new URLSearchParams(form).toString());
    const requestedAt = this.#clock.now();
    const { connectTimeoutMs: connectMs, replyTimeoutMs: totalMs } = this.#limits;
    const headers = {
      Authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
      'Content-Type': 'application/x-www-form-urlencoded',
      'Content-Length': String(body.length),
      Accept: 'application/json',
      // The next token request is minutes away: an idle connection would be closed until then.
      Connection: 'close',
    };
    const url = new URL(`${baseUrl}/Token`);
    const request = {
      method: 'POST',
      lane: 'control',
      url,
      headers,
      body,
      times: { connectMs, totalMs },
      signal,
    } as const;
    return this.#transport.exchange(request, (reply) => this.#read(reply, requestedAt));
  }

  async #read(reply: Reply, requestedAt: number): Promise<IssuedToken> {
    if (reply.status !== 200) {
      const refusal = await readErrorReply(reply, this.#limits);
      if (reply.status !== 400 && reply.status !== 401) throw refusal;
      throw new AttemptFailure('final', 'BAD_CREDENTIALS', refusal.message, { statusCode: reply.status });
    }
    const fields = readFields(parseReplyJson(await readReplyText(reply, this.#limits.maxReplyBytes)));
    const accessToken = readText(fields, 'access_token');
    // The token becomes part of a header. Visible ASCII is safe there and covers RFC 6750, section 2.1.
    if (!/^[\x21-\x7e]{1,16384}$/.test(accessToken))
      throw new AttemptFailure('garbled', 'BAD_REPLY', 'the access token contains invalid characters');
    const lifetimeMs = parseLifetimeS(fields.expires_in) * 1000;
    return { accessToken, refreshToken: readOptional(fields, 'refresh_token', readText), requestedAt, lifetimeMs };
  }

  #toClientError(failure: AttemptFailure, grant: Grant): ClientError {
    const { clientId, clientSecret, password } = this.#account;
    const secrets = [
      `${clientId}:${clientSecret}`,
      clientSecret,
      password,
      ...(grant === 'password' ? [] : [grant.refresh_token]),
    ];
    const message = `Could not get a token: ${redactSecrets(failure.message, secrets)}.`.replace(/([.!?…])\.$/, '$1');
    return new ClientError(failure.code, message, {
      statusCode: failure.statusCode,
      isTransient: isTransient(failure.kind),
    });
  }
}

/**
 * Returns the lifetime in seconds from `expires_in`, at most a day. Dates are ignored, since the clocks may differ. A
 * missing or invalid value counts as 60 seconds.
 */
function parseLifetimeS(value: unknown): number {
  const seconds = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof seconds !== 'number' || !(seconds > 0)) return DEFAULT_LIFETIME_S;
  return Math.min(Math.max(seconds, 1), MAX_LIFETIME_S);
}

function toRetryInput({ kind, retryAfterMs }: AttemptFailure) {
  return { kind, retryAfterMs };
}
