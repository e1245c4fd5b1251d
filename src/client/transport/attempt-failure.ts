import type { ErrorCode } from '../client-error.js';

/**
 * How a single try failed, as far as the next one is concerned.
 * - `unsent`: no connection was established, or the service had not asked for the body yet: it did nothing.
 * - `stale`: a connection that was kept open turned out to be dead before any byte of a reply.
 * - `lost`: something was sent, and no whole reply came.
 * - `hung`: something was sent, and nothing came within the time-out.
 * - `throttled`: refused for now (429, 503): the service did nothing.
 * - `gateway`: something between us and the service could not reach it, or lost it (502, 504).
 * - `server`: the service failed in between (408, 500 and the like).
 * - `garbled`: a reply that cannot be understood.
 * - `unauthorized`: 401.
 * - `final`: another try would end the same.
 */
export type FailureKind =
  | 'unsent'
  | 'stale'
  | 'lost'
  | 'hung'
  | 'throttled'
  | 'gateway'
  | 'server'
  | 'garbled'
  | 'unauthorized'
  | 'final';

/** Travels inside the client from where a try failed to where the decision falls; callers never see it. */
export class AttemptFailure extends Error {
  override readonly name = 'CallFailure';
  readonly kind: FailureKind;
  readonly code: ErrorCode;
  readonly statusCode: number | undefined;
  readonly retryAfterMs: number | undefined;

  /** `detail` goes into the message that users see: what happened, without a secret in it. */
  constructor(
    kind: FailureKind,
    code: ErrorCode,
    detail: string,
    more: { statusCode?: number | undefined; retryAfterMs?: number | undefined } = {},
  ) {
    super(detail);
    this.kind = kind;
    this.code = code;
    this.statusCode = more.statusCode;
    this.retryAfterMs = more.retryAfterMs;
  }
}
