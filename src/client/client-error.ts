import type { Report } from '../api/index.js';

/** The stable codes of `ClientError`. docs/errors.md describes their meanings and remedies. */
export type ErrorCode =
  | 'ABORTED'
  | 'NOT_CONFIGURED'
  | 'INPUT_MISSING'
  | 'INPUT_INVALID'
  | 'FILE_UNREADABLE'
  | 'FILE_EXISTS'
  | 'FILE_UNWRITABLE'
  | 'BAD_CREDENTIALS'
  | 'CONNECTION_FAILED'
  | 'TIMEOUT'
  | 'BAD_REPLY'
  | 'REFUSED'
  | 'NOT_FOUND'
  | 'RATE_LIMITED'
  | 'OUTCOME_UNKNOWN'
  | 'OPERATION_FAILED'
  | 'OPERATION_UNKNOWN'
  | 'WAIT_TIMEOUT'
  | 'QUEUE_FULL'
  | 'DISK_FULL'
  | 'LOCAL_UNAVAILABLE'
  | 'SERVICE_LOCKED';

/**
 * The error of the client and the nodes. The message states the call, its object and the reason, including the message
 * of the service. It never contains a token, a secret or a whole body.
 */
export class ClientError extends Error {
  override readonly name = 'ClientError';
  readonly code: ErrorCode;
  /** The HTTP status of the reply. Undefined if there was none. */
  readonly statusCode: number | undefined;
  /** Whether the same call may succeed later. */
  readonly isTransient: boolean;
  /** The report of a failed operation. Undefined if the service did not send one. */
  readonly report: Report | undefined;
  /** Whether the operation was cancelled. Its code is `OPERATION_FAILED`. */
  readonly isCancelled: boolean;

  constructor(
    code: ErrorCode,
    message: string,
    options: ErrorOptions & {
      statusCode?: number | undefined;
      isTransient?: boolean;
      report?: Report | undefined;
      isCancelled?: boolean;
    } = {},
  ) {
    super(message, options);
    this.code = code;
    this.statusCode = options.statusCode;
    this.isTransient = options.isTransient ?? false;
    this.report = options.report;
    this.isCancelled = options.isCancelled ?? false;
  }
}
