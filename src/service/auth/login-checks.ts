import { createHash } from 'node:crypto';
import type { Limits } from '../defaults.js';
import { createFailedLogins } from './failed-logins.js';
import { LoginQueue, type WaitingLogin } from './login-queue.js';

/** The limits of attempts to log in. */
export type LoginLimits = Pick<
  Limits,
  | 'freeLogins'
  | 'loginDelayMs'
  | 'maxLoginDelayMs'
  | 'loginMemoryMs'
  | 'maxDelayedLogins'
  | 'maxWaitingLogins'
  | 'maxWaitingLoginsPerNetwork'
>;

/** Who attempts to log in. */
export interface LoginCaller {
  /** The address of the caller, or its network if that is what one caller can have (IPv6). */
  network: string;
  clientId: string;
  username: string;
  /** Ends the wait, because the connection was closed. */
  signal: AbortSignal;
}

/** Thrown if too many attempts to log in wait. The password was not checked. */
export class TooManyLoginsError extends Error {
  override readonly name = 'TooManyLoginsError';
  readonly retryAfterSeconds: number;

  constructor(retryAfterSeconds: number) {
    super(`Too many attempts to log in. Retry after ${retryAfterSeconds} s.`);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The failures of a caller since its last success, in all processes. */
export interface SharedFailures {
  count: number;
  /** The time since the last one. */
  ageMs: number;
}

/** The outcome of an attempt. */
export interface LoginOutcome {
  /** Undefined: the password was not checked, because the caller attempts to log in at another process as well. */
  isCorrect: boolean | undefined;
  /** Default: those of this process, with this attempt. */
  failures?: SharedFailures;
}

/** Runs the check of a password, unless other processes delay the caller. `caller` is the key of a caller. */
export type LoginAttempt = (caller: string, check: () => Promise<boolean>) => Promise<LoginOutcome>;

function attemptAlone(_caller: string, check: () => Promise<boolean>): Promise<LoginOutcome> {
  return check().then((isCorrect) => ({ isCorrect }));
}

// The time until an attempt that another process delays is repeated at the earliest.
const MIN_REPEAT_MS = 100;

// Each check takes 32 MiB, and a thread of the pool that also reads files.
const CONCURRENT_CHECKS = 2;

// Bounded however long the username is.
function callerKey({ network, clientId, username }: LoginCaller): string {
  return createHash('sha256')
    .update(JSON.stringify([network, clientId, username]))
    .digest('base64');
}

/**
 * Creates the queue of password checks. Two run at a time, and one per caller: network, client and user. Networks take
 * turns. After `freeLogins` failures in a row, the next check of the caller is delayed, twice as long after each failure,
 * while the attempt waits; a success ends that. Nothing that one caller does delays another one by more than the checks
 * that are running. `attempt`: shares the failures with other processes. Default: there are none.
 */
export function createLoginChecks(limits: LoginLimits, now: () => number, attempt: LoginAttempt = attemptAlone) {
  const failed = createFailedLogins(limits, now);
  const queue = new LoginQueue();
  const running = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  const isReady = (caller: string): boolean => !running.has(caller) && failed.delayOf(caller) === 0;

  const startNext = (): void => {
    clearTimeout(timer);
    while (running.size < CONCURRENT_CHECKS) {
      const login = queue.take(isReady);
      if (!login) break;
      login.start();
    }
    const delays = [...queue.callers()].filter((caller) => !running.has(caller)).map(failed.delayOf);
    // At least 1 ms, since timers of Node can be early.
    if (running.size < CONCURRENT_CHECKS && delays.length > 0) {
      timer = setTimeout(startNext, Math.max(1, Math.ceil(Math.min(...delays))));
    }
  };

  /** Refuses attempts until no limit is exceeded: the last ones of those with the most. */
  const refuseSurplus = (login: WaitingLogin): void => {
    while (failed.isDelayed(login.caller) && queue.loginsOf(login).length > limits.maxDelayedLogins) {
      const last = queue.loginsOf(login).at(-1);
      if (!last) return;
      queue.remove(last);
      last.refuse();
    }
    if (queue.countOf(login.network) > limits.maxWaitingLoginsPerNetwork) queue.takeSurplus(login.network)?.refuse();
    const busiest = queue.size > limits.maxWaitingLogins ? queue.busiestNetwork() : undefined;
    if (busiest !== undefined) queue.takeSurplus(busiest)?.refuse();
  };

  /**
   * Resolves with whether `check` did, which is called when it is the caller's turn. Throws `TooManyLoginsError`, or the
   * abort reason of the signal.
   */
  return (caller: LoginCaller, check: () => Promise<boolean>): Promise<boolean> => {
    const { network, signal } = caller;
    const key = callerKey(caller);
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        queue.remove(login);
        reject(signal.reason);
        startNext(); // ends the timer, if nothing waits any more
      };
      const end = ({ isCorrect, failures }: LoginOutcome): void => {
        if (isCorrect) failed.forget(key);
        else if (failures) failed.replace(key, failures, isCorrect === undefined ? MIN_REPEAT_MS : 0);
        else failed.add(key);
        if (isCorrect !== undefined) resolve(isCorrect);
        else if (signal.aborted) reject(signal.reason);
        else {
          signal.addEventListener('abort', onAbort, { once: true });
          queue.putBack(login);
        }
      };
      const login: WaitingLogin = {
        network,
        caller: key,
        start: () => {
          signal.removeEventListener('abort', onAbort);
          running.add(key);
          attempt(key, check)
            .then(end, reject)
            .finally(() => {
              running.delete(key);
              refuseSurplus(login);
              startNext();
            });
        },
        refuse: () => {
          signal.removeEventListener('abort', onAbort);
          reject(new TooManyLoginsError(Math.max(1, Math.ceil(failed.delayOf(key) / 1000))));
        },
      };
      if (signal.aborted) {
        reject(signal.reason);
        return;
      }
      signal.addEventListener('abort', onAbort, { once: true });
      queue.add(login);
      refuseSurplus(login);
      startNext();
    });
  };
}

export type LoginChecks = ReturnType<typeof createLoginChecks>;
