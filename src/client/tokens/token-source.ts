import { ClientError } from '../client-error.js';
import { type ClientLimits, resolveLimits } from '../client-limits.js';
import type { ConnectionOptions } from '../client-options.js';
import { abortedError, type Clock, createClock } from '../clock.js';
import { raceAbort } from '../combine-signals.js';
import { createTransport } from '../transport/transport.js';
import type { Account, TokenSource } from '../types.js';
import { RateLimitPause } from './rate-limit-pause.js';
import { readAccount } from './read-account.js';
import { SessionConflictDetector } from './session-conflict-detector.js';
import { type Grant, type IssuedToken, TokenEndpoint } from './token-endpoint.js';

/**
 * Creates a token source for an account. Tokens are kept in memory only. Clients of the same account should share a
 * token source, since the service may allow only one session. Throws a `TypeError` for an invalid account or limit.
 */
export function createTokenSource(account: Account, options: ConnectionOptions = {}): TokenSource {
  const limits = resolveLimits(options.limits);
  const transport = createTransport(options, limits);
  const clock = createClock(options);
  const pause = new RateLimitPause(clock);
  const endpoint = new TokenEndpoint(readAccount(account), transport, limits, clock, pause);
  const conflicts = new SessionConflictDetector(clock, options.onWarning);
  return new AccountTokenSource({ endpoint, limits, clock, pause, conflicts });
}

/** Times are in ms of the monotonic clock. */
interface CachedToken {
  text: string;
  /** From this time on, the token is renewed in the background. */
  refreshAt: number;
  /** From this time on, callers wait for a new token. */
  expiresAt: number;
}

/** The maximum fraction of the lifetime by which a token is renewed early. */
const MAX_SKEW_FRACTION = 0.2;

interface SourceDependencies {
  endpoint: TokenEndpoint;
  limits: ClientLimits;
  clock: Clock;
  pause: RateLimitPause;
  conflicts: SessionConflictDetector;
}

/**
 * Caches the token of one account and renews it. States of the cached token:
 * - *empty*: initially and after a 401. Callers wait for a renewal.
 * - *fresh*, until `refreshAt`: the token is returned.
 * - *stale*, until `expiresAt`: the token is returned, and a renewal runs in the background.
 * - *expired*: same as empty.
 *
 * At most one renewal runs at a time, and all waiting callers share its result. After a failure, the next caller starts
 * another one. A refresh token is removed before it is sent, so that it is never sent twice (RFC 9700, section 4.14.2);
 * if the refresh fails, the password is used. Refused credentials are cached for a window that doubles each time, so
 * that many messages cause only one request per window.
 */
class AccountTokenSource implements TokenSource {
  readonly #endpoint: TokenEndpoint;
  readonly #limits: ClientLimits;
  readonly #clock: Clock;
  readonly #pause: RateLimitPause;
  readonly #conflicts: SessionConflictDetector;
  readonly #closing = new AbortController();
  #cached: CachedToken | undefined;
  #refreshToken: string | undefined;
  #renewal: Promise<string> | undefined;
  #renewedAt = Number.NEGATIVE_INFINITY;
  #refusal: { error: ClientError; until: number; windowMs: number } | undefined;

  constructor({ endpoint, limits, clock, pause, conflicts }: SourceDependencies) {
    this.#endpoint = endpoint;
    this.#limits = limits;
    this.#clock = clock;
    this.#pause = pause;
    this.#conflicts = conflicts;
  }

  async token(options: { signal?: AbortSignal; staleToken?: string } = {}): Promise<string> {
    if (this.#closing.signal.aborted || options.signal?.aborted) throw abortedError('The token request');
    const isStale = options.staleToken !== undefined && this.#cached?.text === options.staleToken;
    if (isStale) {
      this.#cached = undefined;
      this.#conflicts.recordRevokedToken();
    }
    const now = this.#clock.now();
    if (this.#cached && now < this.#cached.expiresAt) {
      if (now >= this.#cached.refreshAt) this.#renewInBackground(this.#cached);
      return this.#cached.text;
    }
    const minDelayMs = isStale ? this.#renewedAt + this.#limits.renewalFloorMs - now : 0;
    return raceAbort(this.#renew(minDelayMs), options.signal, () => abortedError('The token request'));
  }

  get pauseMs(): number {
    return this.#pause.remainingMs;
  }

  pause(ms: number): void {
    this.#pause.extend(ms);
  }

  close(): void {
    this.#closing.abort();
    this.#cached = undefined;
    this.#refreshToken = undefined;
    this.#endpoint.close();
  }

  #renewInBackground(cached: CachedToken): void {
    cached.refreshAt = this.#clock.now() + this.#limits.tokenRetryMs;
    // Ignored: when the token has expired, callers start another renewal and get its error.
    this.#renew(0).catch(() => {});
  }

  /** Joins the current renewal, or starts one after `delayMs`. */
  #renew(delayMs: number): Promise<string> {
    this.#renewal ??= this.#fetch(delayMs).finally(() => {
      this.#renewal = undefined;
    });
    return this.#renewal;
  }

  async #fetch(delayMs: number): Promise<string> {
    if (this.#refusal && this.#clock.now() < this.#refusal.until) throw cloneError(this.#refusal.error);
    const { signal } = this.#closing;
    if (delayMs > 0) await this.#clock.sleep(delayMs, signal);
    const issued = (await this.#tryRefresh(signal)) ?? (await this.#requestWithPassword(signal));
    if (signal.aborted) throw abortedError('The token request');
    this.#store(issued);
    return issued.accessToken;
  }

  /**
   * Returns undefined if there is no refresh token or the refresh failed. The refresh token is discarded in both cases.
   */
  async #tryRefresh(signal: AbortSignal): Promise<IssuedToken | undefined> {
    const refreshToken = this.#refreshToken;
    this.#refreshToken = undefined;
    if (refreshToken === undefined) return undefined;
    const grant: Grant = { grant_type: 'refresh_token', refresh_token: refreshToken };
    try {
      return await this.#endpoint.request(grant, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      return undefined;
    }
  }

  async #requestWithPassword(signal: AbortSignal): Promise<IssuedToken> {
    try {
      return await this.#endpoint.request('password', signal);
    } catch (error) {
      if (error instanceof ClientError && error.code === 'BAD_CREDENTIALS') this.#cacheRefusal(error);
      throw error;
    }
  }

  #cacheRefusal(error: ClientError): void {
    const { badCredentialsMinMs, badCredentialsMaxMs } = this.#limits;
    const windowMs = this.#refusal ? Math.min(this.#refusal.windowMs * 2, badCredentialsMaxMs) : badCredentialsMinMs;
    this.#refusal = { error, windowMs, until: this.#clock.now() + windowMs };
  }

  #store(issued: IssuedToken): void {
    const skewMs = Math.min(this.#limits.tokenSkewMs, MAX_SKEW_FRACTION * issued.lifetimeMs);
    const deadline = issued.requestedAt + issued.lifetimeMs;
    this.#cached = { text: issued.accessToken, refreshAt: deadline - 2 * skewMs, expiresAt: deadline - skewMs };
    this.#refreshToken = issued.refreshToken;
    this.#renewedAt = this.#clock.now();
    this.#refusal = undefined;
  }
}

/** Returns a copy per caller, so that mutating one error does not affect the others. */
function cloneError(error: ClientError): ClientError {
  return new ClientError(error.code, error.message, { statusCode: error.statusCode });
}
