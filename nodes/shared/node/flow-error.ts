import { ClientError, type ErrorCode } from '../../../src/client/index.js';

/**
 * What a node hands to `done`. Node-RED copies an error's own `code`, `stack` and `cause` into `msg.error`: a `code` is
 * there wherever we know one, a `cause` never, since it may hold a request with its token.
 */
export class FlowError extends Error {
  override readonly name: string;
  readonly code: string | undefined;

  constructor(code: string | undefined, message: string) {
    super(message);
    // Node-RED shows `${name}: ${message}`, so the code is what a flow author reads first.
    this.name = code ?? 'Error';
    this.code = code;
  }
}

/** An error of ours with the code that flow authors see. */
export function createNodeError(code: ErrorCode, message: string): ClientError {
  return new ClientError(code, message);
}

/**
 * The clean error of whatever was thrown at a message about the file `filename`. What bears no code of ours or the system's (a defect of ours) keeps its message.
 */
export function toFlowError(thrown: unknown, filename?: string): FlowError {
  const named = (message: string) =>
    filename === undefined || message.includes(filename) ? message : `${filename}: ${message}`;
  if (thrown instanceof ClientError) return new FlowError(thrown.code, named(thrown.message));
  if (!(thrown instanceof Error)) return new FlowError(undefined, named(String(thrown)));
  const code = 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : undefined;
  return new FlowError(code, named(thrown.message));
}
