import type { ClientLimits } from '../client-limits.js';
import type { FailureKind } from '../transport/attempt-failure.js';

/** A failed attempt of a call, as input for `retryDelayMs`. */
export interface FailedAttempt {
  kind: FailureKind;
  /** The number of the attempt, from 1. */
  attempt: number;
  /**
   * Whether the call may be repeated although the service may have processed it: true for reads and uploads, false for
   * starts.
   */
  isIdempotent: boolean;
  /** The delay that the service requested. */
  retryAfterMs?: number | undefined;
}

const ALWAYS_RETRIED: ReadonlySet<FailureKind> = new Set<FailureKind>(['unsent', 'throttled']);
const RETRIED_WHEN_IDEMPOTENT: ReadonlySet<FailureKind> = new Set<FailureKind>([
  'stale',
  'lost',
  'hung',
  'gateway',
  'server',
  'garbled',
]);
/**
 * Limited to `maxTries`: these failures rarely pass, or each attempt is long. Other kinds may be an outage:
 * `maxOutageTries`.
 */
const RETRIED_FEWER_TIMES: ReadonlySet<FailureKind> = new Set<FailureKind>(['hung', 'server', 'garbled']);

/**
 * Returns the delay before the next attempt in ms, or `undefined` if there is none. Exponential backoff with full
 * jitter (M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015). A longer Retry-After takes
 * precedence.
 */
export function retryDelayMs(failed: FailedAttempt, limits: ClientLimits, random: () => number): number | undefined {
  const canRetry = ALWAYS_RETRIED.has(failed.kind) || (failed.isIdempotent && RETRIED_WHEN_IDEMPOTENT.has(failed.kind));
  const maxAttempts = RETRIED_FEWER_TIMES.has(failed.kind) ? limits.maxTries : limits.maxOutageTries;
  if (!canRetry || failed.attempt >= maxAttempts) return undefined;
  const ceilingMs = Math.min(limits.retryBaseMs * 2 ** (failed.attempt - 1), limits.retryMaxMs);
  return Math.max(random() * ceilingMs, failed.retryAfterMs ?? 0);
}

/** Returns whether a failure of this kind may pass without a change by the user. */
export function isTransient(kind: FailureKind): boolean {
  return ALWAYS_RETRIED.has(kind) || RETRIED_WHEN_IDEMPOTENT.has(kind);
}
