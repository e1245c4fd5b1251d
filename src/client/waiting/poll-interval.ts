import type { ClientLimits } from '../client-limits.js';

/**
 * Returns the delay before the next poll of an operation of this age, in ms: 0.5 s × √(age in s) between `pollMinMs`
 * and `pollMaxMs`, with ±10 % of jitter.
 */
export function pollIntervalMs(ageMs: number, limits: ClientLimits, random: () => number): number {
  const intervalMs = 500 * Math.sqrt(ageMs / 1000);
  const boundedMs = Math.min(Math.max(intervalMs, limits.pollMinMs), limits.pollMaxMs);
  return boundedMs * (0.9 + 0.2 * random());
}

/** The delay before the first poll if no callback arrives. */
const MIN_FALLBACK_INTERVAL_MS = 5_500;
const MAX_FALLBACK_INTERVAL_MS = 20_000;

/**
 * Returns the delay before the next poll of an operation of this age while a callback is expected, in ms: polls at each
 * doubling of the age, within the limits above, with ±10 % of jitter. Polling continues because a callback may be lost.
 */
export function fallbackPollIntervalMs(ageMs: number, random: () => number): number {
  const boundedMs = Math.min(Math.max(ageMs, MIN_FALLBACK_INTERVAL_MS), MAX_FALLBACK_INTERVAL_MS);
  return boundedMs * (0.9 + 0.2 * random());
}
