// A guard against growth: when this many callers failed lately, the oldest count is dropped.
const MAX_CALLERS = 10_000;

interface Failures {
  count: number;
  until: number;
}

/** Counts failed attempts by caller, so that nobody can try passwords all day. `windowMs` starts with the first failure. */
export function createFailedGrantLimiter(
  limits: { maxFailedGrants: number; failedGrantWindowMs: number },
  now: () => number,
) {
  const failures = new Map<string, Failures>();
  const current = (caller: string): Failures | undefined => {
    const entry = failures.get(caller);
    if (entry && entry.until <= now()) {
      failures.delete(caller);
      return undefined;
    }
    return entry;
  };
  return {
    /** Seconds that this caller has to wait before the next attempt; 0: none. */
    secondsToWait(caller: string): number {
      const entry = current(caller);
      return entry && entry.count >= limits.maxFailedGrants ? Math.ceil((entry.until - now()) / 1000) : 0;
    },
    add(caller: string): void {
      const entry = current(caller);
      if (entry) {
        entry.count += 1;
        return;
      }
      const oldest = failures.keys().next();
      if (failures.size >= MAX_CALLERS && !oldest.done) failures.delete(oldest.value);
      failures.set(caller, { count: 1, until: now() + limits.failedGrantWindowMs });
    },
  };
}

export type FailedGrantLimiter = ReturnType<typeof createFailedGrantLimiter>;
