import type { ErrorCode } from '../client-error.js';

/**
 * The ways in which an attempt fails, as far as a retry depends on them.
 * - `unsent`: no connection was established, or the service had not asked for the body. The service did nothing.
 * - `stale`: a keep-alive connection was closed before the first byte of a reply.
 * - `lost`: the request was sent at least in part, and no complete reply was received.
 * - `hung`: the request was sent at least in part, and the timeout expired.
 * - `throttled`: refused temporarily (429, 503). The service did nothing.
 * - `gateway`: a gateway could not reach the service, or lost its connection to it (502, 504).
 * - `server`: the service failed temporarily (408, 500 and similar).
 * - `garbled`: the reply is malformed.
 * - `unauthorized`: the access token was refused (401).
 * - `final`: a retry would fail in the same way.
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

/**
 * The failure of one attempt, from which the session decides about a retry. Internal: callers of the client get a
 * `ClientError`.
 */
export class AttemptFailure extends Error {
  override readonly name = 'AttemptFailure';
  readonly kind: FailureKind;
  readonly code: ErrorCode;
  readonly statusCode: number | undefined;
  readonly retryAfterMs: number | undefined;

  /** `detail` becomes part of the message that users see and must not contain secrets. */
  constructor(
    kind: FailureKind,
    code: ErrorCode,
    detail: string,
    options: { statusCode?: number | undefined; retryAfterMs?: number | undefined } = {},
  ) {
    super(detail);
    this.kind = kind;
    this.code = code;
    this.statusCode = options.statusCode;
    this.retryAfterMs = options.retryAfterMs;
  }
}
