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
  /** The device, such as a browser, on which the user has signed in before. Default: none is known. */
  device?: string | undefined;
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

// Callers that have logged in. The oldest are removed first, and share the lane of their network again.
const MAX_KNOWN_CALLERS = 10_000;

// Bounded however long the username is.
function callerKey({ network, clientId, username, device }: LoginCaller): string {
  return createHash('sha256')
    .update(JSON.stringify([device === undefined ? network : { device }, clientId, username]))
    .digest('base64');
}

/** Creates the record of callers that have logged in, in this process. */
function createKnownCallers() {
  const callers = new Set<string>();
  return {
    has: (caller: string): boolean => callers.has(caller),

    add(caller: string): void {
      callers.delete(caller); // the order of the set is that of the last logins
      callers.add(caller);
      const [oldest] = callers;
      if (callers.size > MAX_KNOWN_CALLERS && oldest !== undefined) callers.delete(oldest);
    },
  };
}

/**
 * Creates the queue of password checks. Two run at a time, and one per caller: device or network, client and user.
 * Lanes take turns. A device on which the user has signed in, and a caller that has logged in before, have lanes of
 * their own, as OWASP's device cookies have
 * (https://owasp.org/www-community/Slow_Down_Online_Guessing_Attacks_with_Device_Cookies); the others share that of
 * their network, or of their network and client, whose secret they know. After `freeLogins` failures in a row, the next
 * check of the caller is delayed, twice as long after each failure, while the attempt waits; a success ends that.
 * `attempt`: shares the failures with other processes. Default: there are none. `random`: chooses among the callers of
 * a lane. Default: `Math.random`.
 */
export function createLoginChecks(
  limits: LoginLimits,
  now: () => number,
  attempt: LoginAttempt = attemptAlone,
  random: () => number = Math.random,
) {
  const failed = createFailedLogins(limits, now);
  const known = createKnownCallers();
  const queue = new LoginQueue(random);
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

  const laneOf = ({ network, clientId, device }: LoginCaller, caller: string): string =>
    device !== undefined || known.has(caller) ? caller : `${network} ${clientId}`;

  /** Refuses attempts until no limit is exceeded: the last one of the caller with the most, of several a random one. */
  const refuseSurplus = (login: WaitingLogin): void => {
    while (failed.isDelayed(login.caller) && queue.loginsOf(login).length > limits.maxDelayedLogins) {
      const last = queue.loginsOf(login).at(-1);
      if (!last) return;
      queue.remove(last);
      last.refuse();
    }
    if (queue.countOf(login.lane) > limits.maxWaitingLoginsPerNetwork) queue.takeSurplus(login.lane)?.refuse();
    const busiest = queue.size > limits.maxWaitingLogins ? queue.busiestLane() : undefined;
    if (busiest !== undefined) queue.takeSurplus(busiest)?.refuse();
  };

  /**
   * Resolves with whether `check` did, which is called when it is the caller's turn. Throws `TooManyLoginsError`, or the
   * abort reason of the signal.
   */
  return (caller: LoginCaller, check: () => Promise<boolean>): Promise<boolean> => {
    const { signal } = caller;
    const key = callerKey(caller);
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        queue.remove(login);
        reject(signal.reason);
        startNext(); // ends the timer, if nothing waits any more
      };
      const end = ({ isCorrect, failures }: LoginOutcome): void => {
        if (isCorrect) {
          failed.forget(key);
          known.add(key);
        } else if (failures) failed.replace(key, failures, isCorrect === undefined ? MIN_REPEAT_MS : 0);
        else failed.add(key);
        if (isCorrect !== undefined) resolve(isCorrect);
        else if (signal.aborted) reject(signal.reason);
        else {
          signal.addEventListener('abort', onAbort, { once: true });
          queue.putBack(login);
        }
      };
      const login: WaitingLogin = {
        lane: laneOf(caller, key),
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
