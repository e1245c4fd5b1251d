/** Every time-out, number of tries and size limit of the client. Lengths of time in ms, sizes in bytes. */
export interface ClientLimits {
  /** From asking for a connection until it stands, TLS included. */
  connectTimeoutMs: number;
  /** A control call (token, start, status, result) as a whole; a download until its first byte. */
  replyTimeoutMs: number;
  /** From the last byte of an upload until the reply: the service may still be checking and storing the file. */
  uploadReplyTimeoutMs: number;
  /** How long a body may stand still, either way. There is no limit on the whole of a transfer. */
  idleTimeoutMs: number;
  /** How long `wait` waits. */
  waitTimeoutMs: number;
  /** The shortest and the longest pause between two looks at an operation. */
  pollMinMs: number;
  pollMaxMs: number;
  /** Looks per second, all waits of one scheduler together. */
  pollsPerSecond: number;
  /** How long a wait bears that the operation is refused as unknown, and after its completion its result: services spread news slowly. */
  lagToleranceMs: number;
  /** After that, so many polls in a row that are refused end the wait. */
  maxUnknownPolls: number;
  /** Attempts of a call that the service answers with an error of its own or with nonsense, or does not answer in time; the first included. */
  maxTries: number;
  /** Attempts of a call during what may be an outage (no connection, a lost one, 429, 502, 503, 504): enough to bridge a restart. */
  maxOutageTries: number;
  /** Calls of one client that may be repeated at once. Beyond that they take turns, `retriesPerSecond`. */
  retryQuota: number;
  retriesPerSecond: number;
  /** The pause before try n is random between 0 and `retryBaseMs * 2^(n-2)`, at most `retryMaxMs`. */
  retryBaseMs: number;
  retryMaxMs: number;
  /** A Retry-After beyond this is cut to it. */
  retryAfterMaxMs: number;
  /** A wrong password costs one request a window; the window doubles from the first to the second length. */
  badCredentialsMinMs: number;
  badCredentialsMaxMs: number;
  /** A token is renewed so long before its end, or a fifth of its life if that is less; in the background from twice that time on. */
  tokenSkewMs: number;
  /** The pause after a renewal in the background that failed. */
  tokenRetryMs: number;
  /** A 401 for a token younger than this may mean that the service has not heard of it everywhere: one more try, after the pause. */
  youngTokenMs: number;
  youngTokenPauseMs: number;
  /** The least time between two renewals that a 401 asked for. */
  renewalFloorMs: number;
  /** The longest JSON reply that is read. */
  maxReplyBytes: number;
  /** The largest file that is downloaded to a Buffer. */
  maxBufferBytes: number;
  /** A poll without a reply after this leaves its place to another, while it goes on. */
  slowPollMs: number;
  /** Connections for control calls (as many for starts), and for transfers: transfers cannot starve the others. */
  controlSockets: number;
  /** Connections for polls: `controlSockets` at a time, the others for those that are slow. */
  pollSockets: number;
  bulkSockets: number;
}

/** What holds where `options.limits` says nothing. */
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
  slowPollMs: 1_000,
  controlSockets: 8,
  pollSockets: 64,
  bulkSockets: 4,
});

/** A longer timer of Node is over at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** The defaults with the caller's own values in their place. A value that is no finite number above 0 is a `TypeError`. */
export function resolveLimits(own: Partial<ClientLimits> = {}): ClientLimits {
  const limits = { ...CLIENT_DEFAULTS };
  for (const [name, value] of Object.entries(own)) {
    if (!isLimitName(name)) throw new TypeError(`There is no limit "${name}".`);
    if (value === undefined) continue;
    limits[name] = readPositive(value, `limit "${name}"`);
    // A wait may last longer than a timer: its own are set anew.
    if (name.endsWith('Ms') && name !== 'waitTimeoutMs' && value > MAX_TIMER_MS)
      throw new TypeError(`Invalid limit "${name}": expected at most ${MAX_TIMER_MS}.`);
  }
  if (limits.pollMaxMs < limits.pollMinMs) throw new TypeError('"pollMaxMs" must not be below "pollMinMs".');
  return limits;
}

/** Returns a number that a caller gave. A `TypeError` that names it, unless it is a finite number above 0. */
export function readPositive(value: unknown, name: string): number {
  if (typeof value === 'number' && Number.isFinite(value) && value > 0) return value;
  const match = typeof value === 'string' ? `"${value.slice(0, 40)}"` : String(value);
  throw new TypeError(`Invalid ${name} ${match}: expected a finite number above 0.`);
}

function isLimitName(name: string): name is keyof ClientLimits {
  return Object.hasOwn(CLIENT_DEFAULTS, name);
}
