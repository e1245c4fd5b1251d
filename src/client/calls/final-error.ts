import { ClientError } from '../client-error.js';
import type { FailureKind } from '../transport/attempt-failure.js';
import type { CallSpec } from './session.js';

/** Failures after which the service may have processed the request. */
const POSSIBLY_ACCEPTED: ReadonlySet<FailureKind> = new Set<FailureKind>([
  'lost',
  'hung',
  'stale',
  'gateway',
  'server',
  'garbled',
]);

/** Returns whether the service may have processed a request that failed like this. */
export function mayHaveBeenAccepted(kind: FailureKind): boolean {
  return POSSIBLY_ACCEPTED.has(kind);
}

/**
 * Returns the error of a call that is not retried: `OUTCOME_UNKNOWN` if the call is not idempotent and the service may
 * have accepted it, else `error`. A reply without an id counts as possibly accepted.
 */
export function toFinalError(spec: CallSpec<unknown>, kind: FailureKind, error: ClientError): ClientError {
  if (spec.isIdempotent || !mayHaveBeenAccepted(kind)) return error;
  const message = `${error.message} The request may have been accepted, so it was not repeated.`;
  return new ClientError('OUTCOME_UNKNOWN', message, { statusCode: error.statusCode });
}
