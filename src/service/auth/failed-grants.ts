// A guard against growth: when this many callers failed lately, the oldest count is dropped.
const MOST_CALLERS = 10_000;

interface Failures {
  count: number;
  until: number;
}

/** Counts failed attempts by caller, so that nobody can try passwords all day. `windowMs` starts with the first failure. */
export const createFailedGrants = (
  limits: { maxFailedGrants: number; failedGrantWindowMs: number },
  now: () => number,
) => {
  const failures = new Map<string, Failures>();
  const current = (caller: string): Failures | undefined => {
    const found = failures.get(caller);
    if (found && found.until <= now()) {
      failures.delete(caller);
      return undefined;
    }
    return found;
  };
  return {
    /** Seconds that this caller has to wait before the next attempt; 0: none. */
    secondsToWait(caller: string): number {
      const found = current(caller);
      return found && found.count >= limits.maxFailedGrants ? Math.ceil((found.until - now()) / 1000) : 0;
    },
    add(caller: string): void {
      const found = current(caller);
      if (found) {
        found.count += 1;
        return;
      }
      const oldest = failures.keys().next();
      if (failures.size >= MOST_CALLERS && !oldest.done) failures.delete(oldest.value);
      failures.set(caller, { count: 1, until: now() + limits.failedGrantWindowMs });
    },
  };
};

export type FailedGrants = ReturnType<typeof createFailedGrants>;
