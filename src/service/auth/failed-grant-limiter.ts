// Bounds the memory: with more callers the oldest entry is dropped.
const MAX_CALLERS = 10_000;

interface Failures {
  count: number;
  until: number;
}

/**
 * Creates a rate limiter against guessing passwords: counts failed attempts per caller in a fixed window of
 * `failedGrantWindowMs`, which starts with the first failure.
 */
export function createFailedGrantLimiter(
  limits: { maxFailedGrants: number; failedGrantWindowMs: number },
  now: () => number,
) {
  const failures = new Map<string, Failures>();
  const findCurrent = (caller: string): Failures | undefined => {
    const entry = failures.get(caller);
    if (entry && entry.until <= now()) {
      failures.delete(caller);
      return undefined;
    }
    return entry;
  };
  return {
    /** Returns the seconds that this caller has to wait before the next attempt, or 0. */
    secondsToWait(caller: string): number {
      const entry = findCurrent(caller);
      return entry && entry.count >= limits.maxFailedGrants ? Math.ceil((entry.until - now()) / 1000) : 0;
    },
    /** Counts a failed attempt. */
    add(caller: string): void {
      const entry = findCurrent(caller);
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
