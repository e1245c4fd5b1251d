import { readFileSync } from 'node:fs';
import os from 'node:os';
import type { PendingWait } from './stored-wait.js';

/** The clocks of this machine. */
export interface WaitClock {
  /** An id of the current boot of the machine; it differs after the next boot. */
  boot: string;
  /** Returns the time since the boot in ms. Changes of the wall clock do not affect it. */
  bootMs(): number;
  /** Returns the time of the wall clock in ms since 1970. It may jump at any time. */
  wallMs(): number;
}

/** The clocks of this machine. */
export const WAIT_CLOCK: WaitClock = {
  boot: readBootId(),
  bootMs: () => os.uptime() * 1000,
  wallMs: () => Date.now(),
};

function readBootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    // Not Linux: the time of the boot, rounded to ten minutes to tolerate small corrections of the clock. A larger
    // correction counts as another boot.
    return new Date(Math.round((Date.now() - os.uptime() * 1000) / 600_000) * 600_000).toISOString();
  }
}

/** When a wait began and when it times out, by the clock of one boot of the machine. */
export interface BootTimes {
  id: string;
  startedMs: number;
  /** Missing until a node waits. */
  deadlineMs?: number;
}

/** Returns the times of a wait that begins now. */
export function startTimes(clock: WaitClock = WAIT_CLOCK): Pick<PendingWait, 'startedAt' | 'boot'> {
  return { startedAt: clock.wallMs(), boot: { id: clock.boot, startedMs: clock.bootMs() } };
}

/** Returns how long ago a wait began, in ms; 0 if the clocks contradict each other. */
export function elapsedMs({ startedAt, boot }: PendingWait, clock: WaitClock = WAIT_CLOCK): number {
  const elapsed = isOfThisBoot(boot, clock) ? clock.bootMs() - boot.startedMs : clock.wallMs() - startedAt;
  return Math.max(0, elapsed);
}

/**
 * Returns the remaining time of a wait in ms, negative after its deadline. Sets its deadline if it has none: `timeoutMs`
 * after its start.
 *
 * Within one boot of the machine, the clock of the boot counts. After another boot, only the wall clock tells how long the
 * machine was off. It may be wrong, for example before a board without a clock chip has synchronized it. The downtime counts
 * only if it is plausible: the wall clock is not before the start of the wait, and not more than the timeout after it. In
 * doubt, the wait begins again: a wait may last one timeout longer, never shorter.
 */
export function remainingMs(wait: PendingWait, timeoutMs: number, clock: WaitClock = WAIT_CLOCK): number {
  wait.deadline ??= wait.startedAt + timeoutMs;
  const totalMs = wait.deadline - wait.startedAt;
  if (isOfThisBoot(wait.boot, clock)) {
    wait.boot.deadlineMs ??= wait.boot.startedMs + totalMs;
    return wait.boot.deadlineMs - clock.bootMs();
  }
  const now = clock.wallMs();
  const elapsed = now - wait.startedAt;
  const isPlausible = elapsed >= 0 && elapsed <= totalMs;
  if (!isPlausible) Object.assign(wait, { startedAt: now, deadline: now + totalMs });
  const remaining = wait.deadline - now;
  wait.boot = {
    id: clock.boot,
    startedMs: clock.bootMs() - (totalMs - remaining),
    deadlineMs: clock.bootMs() + remaining,
  };
  return remaining;
}

// In a container, the time since the boot may be that of the container. It is then smaller after the next start.
function isOfThisBoot(boot: BootTimes | undefined, clock: WaitClock): boot is BootTimes {
  return boot?.id === clock.boot && boot.startedMs <= clock.bootMs();
}
