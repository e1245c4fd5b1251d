import path from 'node:path';
import { codeOf } from '../machine/system-errors.js';
import { StartError } from '../start-error.js';
import { openConnection } from '../store/open-connection.js';

/** The name of the file that `lockFolder` creates. */
export const LOCK_NAME = 'lock.db';

/** Returns whether a database is locked by another process. */
export function isLockedError(error: unknown): boolean {
  return codeOf(error) === 'SQLITE_BUSY';
}

/**
 * Locks a folder by an open exclusive transaction in `lock.db`. The system releases that lock even if the process crashes.
 * Resolves with the function that releases it. Throws `FOLDER_LOCKED` with this message if another process has the lock.
 */
export async function lockFolder(folder: string, messageIfLocked: string): Promise<() => void> {
  const lock = await openConnection(path.join(folder, LOCK_NAME), 0);
  try {
    lock.exec('pragma journal_mode = memory'); // a journal file could not be created on a full disk
    lock.exec('begin exclusive');
  } catch (error) {
    lock.close();
    if (isLockedError(error)) throw new StartError('FOLDER_LOCKED', messageIfLocked, { cause: error });
    throw error;
  }
  return () => {
    lock.exec('rollback'); // libsql closes the connection later
    lock.close();
  };
}
