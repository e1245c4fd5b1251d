import type { LoginLimits } from './login-checks.js';

// Bounds the memory: with more callers the one whose last failure is the oldest is dropped.
const MAX_CALLERS = 10_000;

interface Failures {
  count: number;
  failedAt: number;
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
  const delayAfter = (count: number): number =>
    count < limits.freeLogins
      ? 0
      : Math.min(limits.maxLoginDelayMs, limits.loginDelayMs * 2 ** (count - limits.freeLogins));

  return {
    /** Returns the failures of a caller since its last success. */
    countOf: (caller: string): number => find(caller)?.count ?? 0,

    /** Returns the delay in ms until the next attempt of a caller. */
    delayOf(caller: string): number {
      const entry = find(caller);
      return entry ? Math.max(0, entry.failedAt + delayAfter(entry.count) - now()) : 0;
    },

    /** Returns whether the attempts of a caller are delayed. */
    isDelayed: (caller: string): boolean => delayAfter(find(caller)?.count ?? 0) > 0,

    add(caller: string): void {
      const count = (find(caller)?.count ?? 0) + 1;
      failures.delete(caller); // the order of the map is that of the last failures
      const oldest = failures.keys().next();
      if (failures.size >= MAX_CALLERS && !oldest.done) failures.delete(oldest.value);
      failures.set(caller, { count, failedAt: now() });
    },

    /** Forgets the failures of a caller. */
    forget(caller: string): void {
      failures.delete(caller);
    },
  };
}
