import { ServiceError } from '../../service-error.js';

// Long enough for a restart of the object storage, and for a client that counts its attempts.
const RETRY_AFTER_S = 10;

interface SdkError {
  name: string;
  message: string;
  $metadata?: { httpStatusCode?: number };
}

function isSdkError(error: unknown): error is SdkError {
  return error instanceof Error;
}

/** Returns whether a request failed because the object does not exist. A missing bucket is another failure. */
export function isObjectMissing(error: unknown): boolean {
  return isSdkError(error) && error.name === 'NoSuchKey';
}

/** Returns whether a range begins after the end of the object. */
export function isRangeInvalid(error: unknown): boolean {
  return isSdkError(error) && (error.name === 'InvalidRange' || error.$metadata?.httpStatusCode === 416);
}

/**
 * Returns a description of an error of the AWS SDK. The error itself has the request and its signature among its
 * properties, so it must not be logged.
 */
export function describeBucketError(error: unknown): string {
  if (!isSdkError(error)) return 'unknown error';
  const status = error.$metadata?.httpStatusCode;
  const code = 'code' in error && typeof error.code === 'string' ? ` ${error.code}` : '';
  return `${error.name}${code}${status === undefined ? '' : ` (HTTP ${status})`}: ${error.message}`;
}

/** Returns the error for a request that failed after all attempts: `STORAGE_UNAVAILABLE`, to be retried later. */
export function storageUnavailableError(error: unknown): ServiceError {
  return new ServiceError('STORAGE_UNAVAILABLE', 'The object storage is not available. Retry later.', {
    retryAfterS: RETRY_AFTER_S,
    cause: new Error(describeBucketError(error)),
  });
}
