import type { ClientLimits } from './client-limits.js';
import type { Clock } from './clock.js';
import type { Account, TokenSource } from './types.js';
import type { PollScheduler } from './waiting/poll-scheduler.js';

type Pem = string | Buffer | (string | Buffer)[];

/** How to speak TLS, in the words of `node:tls`. `ca` adds to nothing: given, it replaces the system's list. */
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
 * A proxy's URL (`http://user:password@proxy:3128`), or a function that says which serves an address (`undefined`: none).
 * Loopback addresses are never proxied; the environment is never looked at.
 */
export type ClientProxy = string | ((url: string) => string | undefined);

/** What a client and a token source both need to reach the service. */
export interface ConnectionOptions {
  tls?: ClientTls | undefined;
  proxy?: ClientProxy | undefined;
  /** Default: the defaults of `CLIENT_DEFAULTS`, one by one. */
  limits?: Partial<ClientLimits> | undefined;
  /** Default: `model-processing-client`. */
  userAgent?: string | undefined;
  /** Told of what goes wrong without a call failing: that somebody else ends the session of this account again and again. */
  onWarning?: ((message: string) => void) | undefined;
  now?: Clock['now'] | undefined;
  sleep?: Clock['sleep'] | undefined;
  random?: Clock['random'] | undefined;
}

/** What `createClient` takes. */
export interface ClientOptions extends ConnectionOptions {
  /** The account, or a function that is asked before each try: the service may come back at another address. */
  account: Account | ((signal: AbortSignal) => Promise<Account>);
  /** Where tokens come from, so that clients of one account can share a source. Default: a source of the client's own. */
  tokenSource?: ((account: Account) => TokenSource) | undefined;
  /** Who decides when to look at an operation, so that clients of one account can share. Default: one of the client's own. */
  pollScheduler?: PollScheduler | undefined;
  /**
   * Repeat starts also where the service may have accepted them, as calls that only read are. Default: false, since an operation may
   * then run twice.
   */
  repeatStarts?: boolean | undefined;
  /** Where streams of unknown length are kept while they are sent. Default: the system's folder for temporary files. */
  tempDir?: string | undefined;
}
