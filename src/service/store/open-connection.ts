import { pathToFileURL } from 'node:url';
import type Database from 'libsql';
import { codeOf } from '../machine/system-errors.js';
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
    throw new StartError('NATIVE_UNAVAILABLE', describeMissingCode(error), { cause: error });
  });
  return new LibSql(file, { timeout: waitMs });
}

// The system may have the code and refuse to load it.
function describeMissingCode(error: unknown): string {
  const could = 'Could not start the local service: the database library libsql';
  if (codeOf(error) !== 'ERR_DLOPEN_FAILED' || !(error instanceof Error))
    return `${could} has no native code for ${process.platform}-${process.arch}. Use a service on another machine.`;
  const reason = error.message.split('\n', 1)[0];
  const remedy = 'Check that its file system is not mounted with noexec, and install the package again on this system.';
  return `${could} could not be loaded (${reason}). ${remedy}`;
}

/** Opens an existing SQLite file for reading, so that a damaged one stays as it is. See `openConnection`. */
export function openReadOnly(file: string, waitMs: number): Promise<Connection> {
  // libsql has no option for this, but it accepts SQLite's URIs.
  return openConnection(`${pathToFileURL(file).href}?mode=ro`, waitMs);
}
