import type Database from 'libsql';
import { StartError } from '../start-error.js';

/** A connection to an SQLite file, in this process. */
export type Connection = Database.Database;

/**
 * Opens an SQLite file. The native code is loaded at the first call, not with this module, so that a system it was not built for
 * is told by `NATIVE_UNAVAILABLE`, and so that commands which need no store run there. `waitMs`: how long to wait for a lock.
 */
export async function openConnection(file: string, waitMs: number): Promise<Connection> {
  const { default: LibSql } = await import('libsql').catch((error: unknown) => {
    const platform = `${process.platform}-${process.arch}`;
    const message = `the database library libsql has no native code for this system (${platform}): the local service cannot run here`;
    throw new StartError('NATIVE_UNAVAILABLE', message, { cause: error });
  });
  return new LibSql(file, { timeout: waitMs });
}
