/**
 * The error codes of a running service. `PROBLEMS` maps each to the HTTP status and the integer code that a client
 * sees.
 */
export type ServiceErrorCode =
  | 'REQUEST_INVALID'
  | 'FIELD_INVALID'
  | 'EXPORT_FORMAT_UNKNOWN'
  | 'UNIT_UNKNOWN'
  | 'CALLBACK_URL_INVALID'
  | 'FILENAME_MISSING'
  | 'MULTIPART_MALFORMED'
  | 'SECOND_FILE'
  | 'UPLOAD_INCOMPLETE'
  | 'NOT_AUTHORIZED'
  | 'SIGN_IN_REFUSED'
  | 'CODE_INVALID'
  | 'ORIGIN_REFUSED'
  | 'OWNER_ONLY'
  | 'PASSWORD_WRONG'
  | 'ENDPOINT_UNKNOWN'
  | 'FILE_UNKNOWN'
  | 'MODEL_UNKNOWN'
  | 'OPERATION_UNKNOWN'
  | 'ACCOUNT_UNKNOWN'
  | 'TIMED_OUT'
  | 'NOT_COMPLETED'
  | 'ACCOUNT_EXISTS'
  | 'FILE_EXPIRED'
  | 'FILE_DAMAGED'
  | 'LENGTH_MISSING'
  | 'UPLOAD_TOO_LARGE'
  | 'BODY_TOO_LARGE'
  | 'MEDIA_TYPE_WRONG'
  | 'RANGE_WRONG'
  | 'FILE_UNREADABLE'
  | 'FILE_EMPTY'
  | 'MODEL_TOO_LARGE'
  | 'MODEL_DAMAGED'
  | 'REPAIR_INCOMPLETE'
  | 'OUT_OF_MEMORY'
  | 'DEADLINE_PASSED'
  | 'KERNEL_CRASHED'
  | 'ATTEMPTS_USED_UP'
  | 'INPUT_EXPIRED'
  | 'NOT_SOLID'
  | 'NOTHING_LEFT'
  | 'SIZE_ZERO'
  | 'DIGEST_WRONG'
  | 'FILE_ENCRYPTED'
  | 'SEVERAL_MODELS'
  | 'ENTRY_UNKNOWN'
  | 'EXTENSION_UNSUPPORTED'
  | 'PLATE_UNKNOWN'
  | 'CANCELLED'
  | 'KEY_REUSED'
  | 'HEADERS_TOO_LARGE'
  | 'INTERNAL'
  | 'KERNEL_UNAVAILABLE'
  | 'STOPPING'
  | 'FAULT_RATE_LIMITED'
  | 'USER_QUEUE_FULL'
  | 'TOO_MANY_UPLOADS'
  | 'TOO_MANY_SIGN_INS'
  | 'TOO_MANY_WAITS'
  | 'TOO_MANY_REPORTS'
  | 'FAULT_UNAVAILABLE'
  | 'QUEUE_FULL'
  | 'TOO_MANY_CONNECTIONS'
  | 'DATABASE_UNAVAILABLE'
  | 'STORAGE_UNAVAILABLE'
  | 'DISK_FULL'
  | 'QUOTA_FULL'
  | 'USER_QUOTA_FULL';

/** An expected error of a running service. Its message names the field or the object, and the remedy. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: ServiceErrorCode;
  /** When a retry may succeed, in seconds, if that can be estimated. */
  readonly retryAfterS: number | undefined;

  constructor(code: ServiceErrorCode, message: string, options?: ErrorOptions & { retryAfterS?: number }) {
    super(message, options);
    this.code = code;
    this.retryAfterS = options?.retryAfterS;
  }
}

// Codes of the system, of SQLite, whose shared memory is a file too, and of PostgreSQL (disk_full).
const DISK_FULL = new Set<unknown>(['ENOSPC', 'EDQUOT', 'SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE', '53100']);

/** Returns whether a write failed because the disk or the user's disk quota is full. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && DISK_FULL.has(error.code);
}
