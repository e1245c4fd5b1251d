import type { Report } from '../api/index.js';

/** What can go wrong, as flow authors see it; docs/errors.md says what each means and what helps. */
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
 * The only error that the client and the nodes throw. The message says what was attempted on what and what the service
 * answered, never a token or a whole body. `statusCode`: the HTTP status, where there was one. `isTransient`: the same call
 * may well succeed later, with nothing changed. `report`: how far an operation came that failed, where the service says it.
 */
export class ClientError extends Error {
  override readonly name = 'ClientError';
  readonly code: ErrorCode;
  readonly statusCode: number | undefined;
  readonly isTransient: boolean;
  readonly report: Report | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    options: ErrorOptions & {
      statusCode?: number | undefined;
      isTransient?: boolean;
      report?: Report | undefined;
    } = {},
  ) {
    super(message, options);
    this.code = code;
    this.statusCode = options.statusCode;
    this.isTransient = options.isTransient ?? false;
    this.report = options.report;
  }
}
