import type { ProblemEntry } from '../api/index.js';
import type { ServiceErrorCode } from './service-error.js';

/**
 * Error code → HTTP status and number. The integer code on the wire is status × 100 + number. Numbers are never reused.
 * docs/errors.md lists them.
 */
export const PROBLEMS: Record<ServiceErrorCode, readonly [status: number, number: number]> = {
  REQUEST_INVALID: [400, 0],
  FIELD_INVALID: [400, 1],
  EXPORT_FORMAT_UNKNOWN: [400, 3],
  UNIT_UNKNOWN: [400, 4],
  CALLBACK_URL_INVALID: [400, 5],
  FILENAME_MISSING: [400, 6],
  MULTIPART_MALFORMED: [400, 7],
  SECOND_FILE: [400, 8],
  UPLOAD_INCOMPLETE: [400, 9],
  NOT_AUTHORIZED: [401, 0],
  SIGN_IN_REFUSED: [401, 1],
  CODE_INVALID: [401, 2],
  ORIGIN_REFUSED: [403, 0],
  OWNER_ONLY: [403, 1],
  ENDPOINT_UNKNOWN: [404, 0],
  FILE_UNKNOWN: [404, 1],
  MODEL_UNKNOWN: [404, 2],
  OPERATION_UNKNOWN: [404, 3],
  ACCOUNT_UNKNOWN: [404, 4],
  TIMED_OUT: [408, 0],
  NOT_COMPLETED: [409, 0],
  ACCOUNT_EXISTS: [409, 1],
  FILE_EXPIRED: [410, 0],
  FILE_DAMAGED: [410, 1],
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
  DIGEST_WRONG: [422, 14],
  FILE_ENCRYPTED: [422, 15],
  SEVERAL_MODELS: [422, 16],
  CANCELLED: [422, 17],
  KEY_REUSED: [422, 18],
  FAULT_RATE_LIMITED: [429, 0],
  USER_QUEUE_FULL: [429, 1],
  TOO_MANY_UPLOADS: [429, 2],
  TOO_MANY_SIGN_INS: [429, 3],
  TOO_MANY_WAITS: [429, 4],
  TOO_MANY_REPORTS: [429, 5],
  HEADERS_TOO_LARGE: [431, 0],
  INTERNAL: [500, 0],
  STOPPING: [503, 0],
  FAULT_UNAVAILABLE: [503, 1],
  QUEUE_FULL: [503, 2],
  TOO_MANY_CONNECTIONS: [503, 3],
  DATABASE_UNAVAILABLE: [503, 4],
  STORAGE_UNAVAILABLE: [503, 5],
  DISK_FULL: [507, 0],
  QUOTA_FULL: [507, 1],
  USER_QUOTA_FULL: [507, 2],
};

/** Returns the entry of `errors` for a code, which is also the `error` of a status record. */
export function createProblemEntry(code: ServiceErrorCode, message: string): ProblemEntry {
  const [status, number] = PROBLEMS[code];
  return { code: status * 100 + number, message };
}
