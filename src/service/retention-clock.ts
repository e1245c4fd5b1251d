import type { RetentionTimes } from './store/retention-times.js';

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * The clock that the ages of files and records are measured with, in ms. It follows the monotonic time while the service
 * runs. A stop adds its duration by the system clock, at most one day, because the system clock of a machine without a
 * battery may be wrong by years.
 */
export interface RetentionClock {
  now(): number;
  /** Stores the time. To be called regularly, and before the service stops. */
  save(): Promise<void>;
}

/** The dependencies of `startRetentionClock`. */
export interface RetentionClockDependencies {
  times: RetentionTimes;
  /** Returns the time of the system clock in ms since 1970. */
  now: () => number;
  /** Returns a time in ms that only grows, and not with changes of the system clock. */
  monotonicNow: () => number;
}

/** Starts the clock where an earlier service stopped it, plus the time since then; or with the system clock. */
export async function startRetentionClock({
  times,
  now,
  monotonicNow,
}: RetentionClockDependencies): Promise<RetentionClock> {
  const last = await times.find();
  const startedAt = monotonicNow();
  const stoppedMs = last ? Math.min(Math.max(now() - last.saved_at, 0), DAY_MS) : 0;
  const base = last ? last.time + stoppedMs : now();
  const read = (): number => Math.floor(base + monotonicNow() - startedAt);
  return { now: read, save: () => times.replace({ time: read(), saved_at: now() }) };
}
