import type { LoginLimits, SharedFailures } from './login-checks.js';

// Bounds the memory: with more callers the one whose last failure is the oldest is dropped.
const MAX_CALLERS = 10_000;

interface Failures {
  count: number;
  failedAt: number;
  /** No attempt before this time, whatever the number of failures. */
  blockedUntil: number;
}

/** Returns the delay in ms after this number of failures in a row. */
export function delayAfter(count: number, limits: LoginLimits): number {
  if (count < limits.freeLogins) return 0;
  return Math.min(limits.maxLoginDelayMs, limits.loginDelayMs * 2 ** (count - limits.freeLogins));
}

/**
 * Creates the record of failed logins by caller. `now` returns a time in ms that changes of the system clock do not
 * affect.
 */
export function createFailedLogins(limits: LoginLimits, now: () => number) {
  const failures = new Map<string, Failures>();
  const find = (caller: string): Failures | undefined => {
    const entry = failures.get(caller);
    if (entry === undefined || now() < entry.failedAt + limits.loginMemoryMs) return entry;
    failures.delete(caller);
    return undefined;
  };
  const replace = (caller: string, entry: Failures): void => {
    failures.delete(caller); // the order of the map is that of the last failures
    const oldest = failures.keys().next();
    if (failures.size >= MAX_CALLERS && !oldest.done) failures.delete(oldest.value);
    failures.set(caller, entry);
  };

  return {
    /** Returns the failures of a caller since its last success. */
    countOf: (caller: string): number => find(caller)?.count ?? 0,

    /** Returns the delay in ms until the next attempt of a caller. */
    delayOf(caller: string): number {
      const entry = find(caller);
      if (!entry) return 0;
      return Math.max(0, entry.failedAt + delayAfter(entry.count, limits) - now(), entry.blockedUntil - now());
    },

    /** Returns whether the attempts of a caller are delayed. */
    isDelayed: (caller: string): boolean => delayAfter(find(caller)?.count ?? 0, limits) > 0,

    add(caller: string): void {
      replace(caller, { count: (find(caller)?.count ?? 0) + 1, failedAt: now(), blockedUntil: 0 });
    },

    /** Replaces the failures of a caller by those in all processes. `blockedMs`: the time until the next attempt at least. */
    replace(caller: string, { count, ageMs }: SharedFailures, blockedMs: number): void {
      replace(caller, { count, failedAt: now() - ageMs, blockedUntil: now() + blockedMs });
    },

    /** Forgets the failures of a caller. */
    forget(caller: string): void {
      failures.delete(caller);
    },
  };
}
