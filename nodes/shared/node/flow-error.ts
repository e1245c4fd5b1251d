import { ClientError, type ErrorCode } from '../../../src/client/index.js';
import { formatErrorMessage } from './error-message.js';

/**
 * The error that a node passes to `done`. Node-RED copies the properties `code`, `stack` and `cause` of an error into
 * `msg.error`. A known `code` is always set. A `cause` is never set, because it may contain a request with its token.
 */
export class FlowError extends Error {
  // Node-RED shows `${name}: ${message}`, or the message alone if the name is empty.
  override readonly name = '';
  readonly code: string | undefined;

  constructor(code: string | undefined, message: string) {
    super(message);
    this.code = code;
  }
}

/** Creates an error with a stable code, which flow authors see in `msg.error.code`. */
export function createNodeError(code: ErrorCode, message: string): ClientError {
  return new ClientError(code, message);
}

/**
 * Converts a thrown value to an error without `cause`. The message leads with `filename` and ends with the ids, if it
 * has any. `adapt` changes the remedy in it. A code of the client or of the system is kept. An error without a code is
 * a bug and keeps its message.
 */
export function toFlowError(
  thrown: unknown,
  filename?: string,
  adapt: (message: string) => string = (message) => message,
): FlowError {
  if (!(thrown instanceof Error)) return new FlowError(undefined, formatErrorMessage(String(thrown), filename));
  const code = 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : undefined;
  return new FlowError(code, formatErrorMessage(adapt(thrown.message), filename));
}
