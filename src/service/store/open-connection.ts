import { pathToFileURL } from 'node:url';
import type Database from 'libsql';
import { StartError } from '../start-error.js';

/** A connection to an SQLite file. */
export type Connection = Database.Database;

/**
 * Opens an SQLite file. `waitMs`: how long to wait for a lock. Throws `NATIVE_UNAVAILABLE` if libsql has no native code
 * for this system. The library is loaded on the first call, not with this module, so that commands without a database
 * run on any system.
 */
export async function openConnection(file: string, waitMs: number): Promise<Connection> {
  const { default: LibSql } = await import('libsql').catch((error: unknown) => {
    const platform = `${process.platform}-${process.arch}`;
    const reason = `the database library libsql has no native code for ${platform}`;
    const message = `Could not start the local service: ${reason}. Use a service on another machine.`;
    throw new StartError('NATIVE_UNAVAILABLE', message, { cause: error });
  });
  return new LibSql(file, { timeout: waitMs });
}

/** Opens an existing SQLite file for reading, so that a damaged one stays as it is. See `openConnection`. */
export function openReadOnly(file: string, waitMs: number): Promise<Connection> {
  // libsql has no option for this, but it accepts SQLite's URIs.
  return openConnection(`${pathToFileURL(file).href}?mode=ro`, waitMs);
}
