import type { Problem, ProblemEntry } from '../../api/index.js';
import { isDiskFull, ServiceError, type ServiceErrorCode } from '../service-error.js';

/**
 * Error code → HTTP status and number. The integer code on the wire is status × 100 + number. Numbers are never reused.
 * docs/errors.md lists them.
 */
export const PROBLEMS: Record<ServiceErrorCode, readonly [status: number, number: number]> = {
  REQUEST_INVALID: [400, 0],
  FIELD_INVALID: [400, 1],
  IMPORT_FORMAT_UNKNOWN: [400, 2],
  EXPORT_FORMAT_UNKNOWN: [400, 3],
  UNIT_UNKNOWN: [400, 4],
  CALLBACK_URL_INVALID: [400, 5],
  FILENAME_MISSING: [400, 6],
  MULTIPART_MALFORMED: [400, 7],
  SECOND_FILE: [400, 8],
  UPLOAD_INCOMPLETE: [400, 9],
  NOT_AUTHORIZED: [401, 0],
  ENDPOINT_UNKNOWN: [404, 0],
  FILE_UNKNOWN: [404, 1],
  MODEL_UNKNOWN: [404, 2],
  OPERATION_UNKNOWN: [404, 3],
  TIMED_OUT: [408, 0],
  NOT_COMPLETED: [409, 0],
  FILE_EXPIRED: [410, 0],
  LENGTH_MISSING: [411, 0],
  UPLOAD_TOO_LARGE: [413, 0],
  BODY_TOO_LARGE: [413, 1],
  MEDIA_TYPE_WRONG: [415, 0],
  RANGE_WRONG: [416, 0],
  FILE_UNREADABLE: [422, 0],
  FILE_EMPTY: [422, 1],
  MODEL_TOO_LARGE: [422, 2],
  MODEL_DAMAGED: [422, 3],
  REPAIR_INCOMPLETE: [422, 4],
  OUT_OF_MEMORY: [422, 5],
  DEADLINE_PASSED: [422, 6],
  KERNEL_CRASHED: [422, 7],
  ATTEMPTS_USED_UP: [422, 8],
  INPUT_EXPIRED: [422, 9],
  NOT_SOLID: [422, 11],
  NOTHING_LEFT: [422, 12],
  SIZE_ZERO: [422, 13],
  FAULT_RATE_LIMITED: [429, 0],
  HEADERS_TOO_LARGE: [431, 0],
  INTERNAL: [500, 0],
  STOPPING: [503, 0],
  FAULT_UNAVAILABLE: [503, 1],
  DISK_FULL: [507, 0],
  QUOTA_FULL: [507, 1],
};

/** The HTTP status and the body of an error reply. */
export interface ProblemReply {
  status: number;
  body: Problem;
}

/** Returns the entry of `errors` for a code, which is also the `error` of a status record. */
export function createProblemEntry(code: ServiceErrorCode, message: string): ProblemEntry {
  const [status, number] = PROBLEMS[code];
  return { code: status * 100 + number, message };
}

// Error codes of fastify → our codes.
const FRAMEWORK_ERRORS: Record<string, ServiceErrorCode> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'BODY_TOO_LARGE',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'MEDIA_TYPE_WRONG',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'REQUEST_INVALID',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'REQUEST_INVALID',
  FST_ERR_VALIDATION: 'FIELD_INVALID',
  FST_ERR_BAD_URL: 'ENDPOINT_UNKNOWN',
};

/**
 * Converts any thrown value to a `ServiceError`. Keeps the messages of fastify, such as "body/fileId must be string".
 */
function asServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (isDiskFull(error))
    return new ServiceError('DISK_FULL', 'The disk of the service is full. Free disk space, or lower --disk-quota.');
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') {
    const code = FRAMEWORK_ERRORS[error.code];
    if (code) return new ServiceError(code, error.message, { cause: error });
    const isClientError = 'statusCode' in error && Number(error.statusCode) >= 400 && Number(error.statusCode) < 500;
    if (isClientError && error.code.startsWith('FST_')) {
      return new ServiceError('REQUEST_INVALID', error.message, { cause: error });
    }
  }
  return new ServiceError('INTERNAL', 'Internal error. See the service log.', { cause: error });
}

/** Returns the reply to any thrown value. Hides the message of unknown errors, which may contain internals. */
export function toProblemReply(thrown: unknown): ProblemReply {
  const error = asServiceError(thrown);
  const [status] = PROBLEMS[error.code];
  const body: Problem = { errors: [createProblemEntry(error.code, error.message)] };
  if (error.code === 'NOT_AUTHORIZED') body.message = 'Authorization has been denied for this request.';
  return { status, body };
}
