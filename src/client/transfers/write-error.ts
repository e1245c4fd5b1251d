import { ClientError } from '../client-error.js';

/**
 * Converts a system error of writing to `target` to `DISK_FULL` or `FILE_UNWRITABLE`, with the system's code in the
 * message. Returns a `ClientError` unchanged.
 */
export function toWriteError(error: unknown, target: string): ClientError {
  if (error instanceof ClientError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new ClientError('DISK_FULL', `Could not write ${target}: the disk is full (${code}).`);
  }
  return new ClientError('FILE_UNWRITABLE', `Could not write ${target} (${code}).`);
}
