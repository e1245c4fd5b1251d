import type { ClientLimits } from '../client-limits.js';

/** The pause before the next look at an operation of this age: 0.5 * sqrt(age in s) s within the limits, +-10 %. */
export function pollIntervalMs(ageMs: number, limits: ClientLimits, random: () => number): number {
  const plainMs = 500 * Math.sqrt(ageMs / 1000);
  const boundedMs = Math.min(Math.max(plainMs, limits.pollMinMs), limits.pollMaxMs);
  return boundedMs * (0.9 + 0.2 * random());
}

/** The first look without a callback, where one is expected; then one at each doubling of the age, at most this far apart. */
const MIN_FALLBACK_INTERVAL_MS = 5_500;
const MAX_FALLBACK_INTERVAL_MS = 20_000;

/** The pause before the next look at an operation of this age while a callback is expected: it may be lost. +-10 %. */
export function fallbackPollIntervalMs(ageMs: number, random: () => number): number {
  const boundedMs = Math.min(Math.max(ageMs, MIN_FALLBACK_INTERVAL_MS), MAX_FALLBACK_INTERVAL_MS);
  return boundedMs * (0.9 + 0.2 * random());
}
