import type { ClientLimits } from './client-limits.js';
import type { Clock } from './clock.js';
import type { Account, TokenSource } from './types.js';
import type { PollScheduler } from './waiting/poll-scheduler.js';

type Pem = string | Buffer | (string | Buffer)[];

/** The TLS options, named as in `node:tls`. `ca` replaces the default certificate authorities. */
export interface ClientTls {
  key?: Pem | undefined;
  cert?: Pem | undefined;
  ca?: Pem | undefined;
  pfx?: string | Buffer | undefined;
  passphrase?: string | undefined;
  servername?: string | undefined;
  rejectUnauthorized?: boolean | undefined;
}

/**
 * The URL of a proxy (`http://user:password@proxy:3128`), or a function that returns the proxy for a URL, `undefined`
 * for none. Loopback addresses are never proxied. Environment variables are ignored.
 */
export type ClientProxy = string | ((url: string) => string | undefined);

/** The options that clients and token sources have in common. */
export interface ConnectionOptions {
  tls?: ClientTls | undefined;
  proxy?: ClientProxy | undefined;
  /** Overrides of single limits. Default: `CLIENT_DEFAULTS`. */
  limits?: Partial<ClientLimits> | undefined;
  /** Default: `model-processing-client`. */
  userAgent?: string | undefined;
  /** Receives warnings about problems that do not fail a call, such as another client that uses the same account. */
  onWarning?: ((message: string) => void) | undefined;
  now?: Clock['now'] | undefined;
  sleep?: Clock['sleep'] | undefined;
  random?: Clock['random'] | undefined;
}

/** The options of `createClient`. */
export interface ClientOptions extends ConnectionOptions {
  /** The account, or a function that is called before each attempt, since the address of the service may change. */
  account: Account | ((signal: AbortSignal) => Promise<Account>);
  /** Returns the token source of an account, so that clients can share it. Default: each client creates its own. */
  tokenSource?: ((account: Account) => TokenSource) | undefined;
  /**
   * Schedules the polls, so that clients of one account can share a rate limit. Default: each client creates its own.
   */
  pollScheduler?: PollScheduler | undefined;
  /** Retry starts even if the service may have accepted them. Default: false, since an operation may then run twice. */
  repeatStarts?: boolean | undefined;
  /**
   * Send an idempotency key with each upload and start if the service announces the feature, for which `/formats` is read
   * before the first one. They are then retried if their reply was lost, without a second operation or file. Default:
   * false.
   */
  idempotencyKeys?: boolean | undefined;
  /**
   * The folder in which streams of unknown length are stored before their upload. Created if it is missing. Default:
   * `os.tmpdir()`.
   */
  spoolDir?: string | undefined;
  /** The earlier name of `spoolDir`, which takes precedence. */
  tempDir?: string | undefined;
}
