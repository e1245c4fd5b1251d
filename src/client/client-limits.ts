/** The timeouts, retry limits and size limits of a client. Times are in ms, sizes in bytes. */
export interface ClientLimits {
  /** Timeout for establishing a connection, including TLS. */
  connectTimeoutMs: number;
  /**
   * Timeout of a whole control call (token, start, status, result), and of a download until the first byte of the
   * reply.
   */
  replyTimeoutMs: number;
  /** Timeout from the last byte of an upload until the reply, while the service checks and stores the file. */
  uploadReplyTimeoutMs: number;
  /** Timeout of an upload or download without a transferred byte. The duration of a transfer is not limited. */
  idleTimeoutMs: number;
  /** Timeout of `wait`. */
  waitTimeoutMs: number;
  /** The minimum and maximum interval between two polls of an operation. */
  pollMinMs: number;
  pollMaxMs: number;
  /** The rate limit of polls for all waits of a scheduler. */
  pollsPerSecond: number;
  /**
   * How long a wait tolerates that the operation is unknown to the service, and after its completion that the result
   * is: a distributed service may be consistent only after a delay.
   */
  lagToleranceMs: number;
  /** The number of consecutive refused polls that end a wait after `lagToleranceMs`. */
  maxUnknownPolls: number;
  /** Attempts of a call, including the first, after a server error, a malformed reply or a timeout. */
  maxTries: number;
  /**
   * Attempts of a call after a lost or failed connection, 429, 502, 503 or 504. Sufficient for a restart of the
   * service.
   */
  maxOutageTries: number;
  /** Retries of one client that can start immediately. Further retries are limited to `retriesPerSecond`. */
  retryQuota: number;
  retriesPerSecond: number;
  /** The delay before attempt n is random between 0 and `retryBaseMs * 2^(n-2)`, at most `retryMaxMs`. */
  retryBaseMs: number;
  retryMaxMs: number;
  /** The maximum delay that a Retry-After can request. */
  retryAfterMaxMs: number;
  /** Refused credentials are sent once per window, which doubles from the first to the second duration. */
  badCredentialsMinMs: number;
  badCredentialsMaxMs: number;
  /**
   * Callers wait for a new token from this time before the expiry on, at most a fifth of the lifetime. A renewal in the
   * background starts twice as early.
   */
  tokenSkewMs: number;
  /** The delay after a failed renewal in the background. */
  tokenRetryMs: number;
  /**
   * The age below which a token that is refused with 401 may not yet be known to all servers. The call is attempted
   * once more after `youngTokenPauseMs`.
   */
  youngTokenMs: number;
  youngTokenPauseMs: number;
  /** The minimum interval between two renewals that were caused by a 401. */
  renewalFloorMs: number;
  /** The maximum size of a JSON reply. */
  maxReplyBytes: number;
  /** The maximum size of a file that is downloaded to a Buffer. */
  maxBufferBytes: number;
  /** How long the features in `/formats` are used before they are read again. */
  featuresValidMs: number;
  /** The delay before they are read again after that failed. */
  featuresRetryMs: number;
  /**
   * Timeout of an attempt to read `/formats`, and how long failed attempts are repeated: other calls wait for the page.
   */
  featuresTimeoutMs: number;
  /** The duration after which a poll without a reply no longer prevents another poll. It continues. */
  slowPollMs: number;
  /** The maximum number of connections for control calls, and the same number for starts. */
  controlSockets: number;
  /** The maximum number of connections for polls: `controlSockets` concurrent polls, and others that are slow. */
  pollSockets: number;
  /**
   * The maximum number of connections for uploads and downloads, which are separate so that they do not delay calls.
   */
  bulkSockets: number;
}

/** The default limits. */
export const CLIENT_DEFAULTS: Readonly<ClientLimits> = Object.freeze({
  connectTimeoutMs: 10_000,
  replyTimeoutMs: 30_000,
  uploadReplyTimeoutMs: 300_000,
  idleTimeoutMs: 60_000,
  waitTimeoutMs: 3_600_000,
  pollMinMs: 250,
  pollMaxMs: 15_000,
  pollsPerSecond: 50,
  lagToleranceMs: 10_000,
  maxUnknownPolls: 3,
  maxTries: 4,
  maxOutageTries: 10,
  retryQuota: 100,
  retriesPerSecond: 50,
  retryBaseMs: 500,
  retryMaxMs: 8_000,
  retryAfterMaxMs: 300_000,
  badCredentialsMinMs: 1_000,
  badCredentialsMaxMs: 300_000,
  tokenSkewMs: 60_000,
  tokenRetryMs: 10_000,
  youngTokenMs: 5_000,
  youngTokenPauseMs: 1_000,
  renewalFloorMs: 1_000,
  maxReplyBytes: 1 << 20,
  maxBufferBytes: 1 << 30,
  featuresValidMs: 300_000,
  featuresRetryMs: 30_000,
  featuresTimeoutMs: 5_000,
  slowPollMs: 1_000,
  controlSockets: 8,
  pollSockets: 64,
  bulkSockets: 4,
});

/** The maximum delay of `setTimeout`: Node.js reduces longer ones to 1 ms. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Returns the default limits with `overrides`. Throws a `TypeError` for an unknown name, a value that is not a finite
 * number above 0, a time that exceeds the maximum of a timer, or `pollMaxMs` below `pollMinMs`.
 */
export function resolveLimits(overrides: Partial<ClientLimits> = {}): ClientLimits {
  const limits = { ...CLIENT_DEFAULTS };
  for (const [name, value] of Object.entries(overrides)) {
    if (!isLimitName(name)) throw new TypeError(`Unknown limit "${name}".`);
    if (value === undefined) continue;
    limits[name] = readPositive(value, `limit "${name}"`);
    // A wait may take longer than the longest timer, since it uses several.
    if (name.endsWith('Ms') && name !== 'waitTimeoutMs' && value > MAX_TIMER_MS)
      throw new TypeError(`Invalid limit "${name}": expected at most ${MAX_TIMER_MS}.`);
  }
  if (limits.pollMaxMs < limits.pollMinMs)
    throw new TypeError('Invalid limit "pollMaxMs": expected at least "pollMinMs".');
  return limits;
}

/** Returns `value` if it is a finite number above 0. Throws a `TypeError` that contains `name` otherwise. */
export function readPositive(value: unknown, name: string): number {
  if (typeof value === 'number' && Number.isFinite(value) && value > 0) return value;
  const shown = typeof value === 'string' ? `"${value.slice(0, 40)}"` : String(value);
  throw new TypeError(`Invalid ${name} ${shown}: expected a finite number above 0.`);
}

function isLimitName(name: string): name is keyof ClientLimits {
  return Object.hasOwn(CLIENT_DEFAULTS, name);
}
