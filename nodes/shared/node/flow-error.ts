import { ClientError, type ErrorCode } from '../../../src/client/index.js';

/**
 * The error that a node passes to `done`. Node-RED copies the properties `code`, `stack` and `cause` of an error into
 * `msg.error`. A known `code` is always set. A `cause` is never set, because it may contain a request with its token.
 */
export class FlowError extends Error {
  override readonly name: string;
  readonly code: string | undefined;

  constructor(code: string | undefined, message: string) {
    super(message);
    // Node-RED shows `${name}: ${message}`: the text starts with the code.
    this.name = code ?? 'Error';
    this.code = code;
  }
}

/** Creates an error with a stable code, which flow authors see in `msg.error.code`. */
export function createNodeError(code: ErrorCode, message: string): ClientError {
  return new ClientError(code, message);
}

/**
 * Converts a thrown value to an error without `cause`. Prefixes the message with `filename` unless it already contains
 * it. A code of the client or of the system is kept. An error without a code is a bug and keeps its message only.
 */
export function toFlowError(thrown: unknown, filename?: string): FlowError {
  const addFilename = (message: string) =>
    filename === undefined || message.includes(filename) ? message : `${filename}: ${message}`;
  if (thrown instanceof ClientError) return new FlowError(thrown.code, addFilename(thrown.message));
  if (!(thrown instanceof Error)) return new FlowError(undefined, addFilename(String(thrown)));
  const code = 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : undefined;
  return new FlowError(code, addFilename(thrown.message));
}
