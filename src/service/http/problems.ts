import type { Problem } from '../../api/index.js';
import { createProblemEntry, PROBLEMS } from '../problem-entries.js';
import { isDiskFull, ServiceError, type ServiceErrorCode } from '../service-error.js';

/** The HTTP status and the body of an error reply. */
export interface ProblemReply {
  status: number;
  body: Problem;
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
