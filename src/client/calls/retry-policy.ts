import type { ClientLimits } from '../client-limits.js';
import type { FailureKind } from '../transport/attempt-failure.js';

/** What the decision about another attempt is based on. */
export interface FailedAttempt {
  kind: FailureKind;
  /** 1 for the first. */
  attempt: number;
  /** May the call be sent again where the service may have acted on it? True for reading and for uploads, not for starts. */
  isIdempotent: boolean;
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
/** A few attempts tell enough, or take long enough. The other kinds may be an outage, which is bridged. */
const TRIED_LESS: ReadonlySet<FailureKind> = new Set<FailureKind>(['hung', 'server', 'garbled']);

/**
 * How many ms to pause before the next try, or `undefined` where there is none. Exponential back-off with full jitter
 * (M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015); a longer Retry-After wins.
 */
export function retryDelayMs(failed: FailedAttempt, limits: ClientLimits, random: () => number): number | undefined {
  const mayRepeat =
    ALWAYS_RETRIED.has(failed.kind) || (failed.isIdempotent && RETRIED_WHEN_IDEMPOTENT.has(failed.kind));
  const maxTries = TRIED_LESS.has(failed.kind) ? limits.maxTries : limits.maxOutageTries;
  if (!mayRepeat || failed.attempt >= maxTries) return undefined;
  const ceilingMs = Math.min(limits.retryBaseMs * 2 ** (failed.attempt - 1), limits.retryMaxMs);
  return Math.max(random() * ceilingMs, failed.retryAfterMs ?? 0);
}

/** Is a failure of this kind expected to pass by itself? A wait goes on through it until its deadline. */
export function isTransient(kind: FailureKind): boolean {
  return ALWAYS_RETRIED.has(kind) || RETRIED_WHEN_IDEMPOTENT.has(kind);
}
