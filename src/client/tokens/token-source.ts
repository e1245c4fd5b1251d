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
 * A token source of this account. Tokens live in memory only. Clients of one account should share one: the service may
 * allow a refresh token or a session only once.
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

interface CachedToken {
  text: string;
  /** From here on a renewal runs in the background, and from `expiresAt` on callers wait for one. Of the monotonic clock. */
  refreshAt: number;
  expiresAt: number;
}

/** The largest share of a token's life that is taken off its end. */
const MAX_SKEW_FRACTION = 0.2;

interface SourceParts {
  endpoint: TokenEndpoint;
  limits: ClientLimits;
  clock: Clock;
  pause: RateLimitPause;
  conflicts: SessionConflictDetector;
}

/**
 * Always has a usable token, or is getting one. Its life: *empty* at first, then *fresh* (the token is handed out), *soft*
 * (still handed out, one renewal in the background), *hard* (as empty: callers wait). At most one renewal runs at a time and
 * all who wait share its outcome; after a failure the next caller starts another. A refresh token leaves the state before it
 * is sent, so none is sent twice, whatever became of the request; then the password serves. Wrong credentials are answered
 * from memory for a window that doubles from time to time, so that a flood of messages costs one request a window.
 */
class AccountTokenSource implements TokenSource {
  readonly #endpoint: TokenEndpoint;
  readonly #limits: ClientLimits;
  readonly #clock: Clock;
  readonly #pause: RateLimitPause;
  readonly #rivals: SessionConflictDetector;
  readonly #closing = new AbortController();
  #cached: CachedToken | undefined;
  #refreshToken: string | undefined;
  #renewal: Promise<string> | undefined;
  #renewedAt = Number.NEGATIVE_INFINITY;
  #refusal: { error: ClientError; until: number; windowMs: number } | undefined;

  constructor({ endpoint, limits, clock, pause, conflicts }: SourceParts) {
    this.#endpoint = endpoint;
    this.#limits = limits;
    this.#clock = clock;
    this.#pause = pause;
    this.#rivals = conflicts;
  }

  async token(options: { signal?: AbortSignal; staleToken?: string } = {}): Promise<string> {
    if (this.#closing.signal.aborted || options.signal?.aborted) throw abortedError('The request for a token');
    const isStale = options.staleToken !== undefined && this.#cached?.text === options.staleToken;
    if (isStale) {
      this.#cached = undefined;
      this.#rivals.recordRevokedToken();
    }
    const now = this.#clock.now();
    if (this.#cached && now < this.#cached.expiresAt) {
      if (now >= this.#cached.refreshAt) this.#renewInBackground(this.#cached);
      return this.#cached.text;
    }
    const minDelayMs = isStale ? this.#renewedAt + this.#limits.renewalFloorMs - now : 0;
    return raceAbort(this.#renew(minDelayMs), options.signal, () => abortedError('The request for a token'));
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

  #renewInBackground(held: CachedToken): void {
    held.refreshAt = this.#clock.now() + this.#limits.tokenRetryMs;
    // Who needs the token when it is over gets the error of a renewal of his own.
    this.#renew(0).catch(() => {});
  }

  /** Joins the renewal that runs, or starts one after `pauseMs`. */
  #renew(pauseMs: number): Promise<string> {
    this.#renewal ??= this.#fetch(pauseMs).finally(() => {
      this.#renewal = undefined;
    });
    return this.#renewal;
  }

  async #fetch(pauseMs: number): Promise<string> {
    if (this.#refusal && this.#clock.now() < this.#refusal.until) throw cloneError(this.#refusal.error);
    const { signal } = this.#closing;
    if (pauseMs > 0) await this.#clock.sleep(pauseMs, signal);
    const issued = (await this.#tryRefresh(signal)) ?? (await this.#requestWithPassword(signal));
    if (signal.aborted) throw abortedError('The request for a token');
    this.#store(issued);
    return issued.accessToken;
  }

  /** Undefined where there is no refresh token, or it did not serve: whatever went wrong, it is spent. */
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

/** Each caller gets an error of his own: whoever adds to it changes nobody else's. */
function cloneError(error: ClientError): ClientError {
  return new ClientError(error.code, error.message, { statusCode: error.statusCode });
}
