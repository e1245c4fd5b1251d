import { ClientError } from '../client-error.js';

/** What went wrong with writing below this path: `DISK_FULL` or `FILE_UNWRITABLE`, with the system's code. */
export function toWriteError(error: unknown, target: string): ClientError {
  if (error instanceof ClientError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new ClientError('DISK_FULL', `Could not write ${target}: the disk is full (${code}).`);
  }
  return new ClientError('FILE_UNWRITABLE', `Could not write ${target} (${code}).`);
}
