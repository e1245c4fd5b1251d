import { stat } from 'node:fs/promises';
import { openConnection } from './open-connection.js';

/** The size of a write-ahead log without commits: its header. */
const EMPTY_WAL_BYTES = 32;

async function readByteSize(file: string): Promise<number> {
  return (await stat(file).catch(() => undefined))?.size ?? 0;
}

/**
 * Lets SQLite roll back a transaction that a crash interrupted, which a read-only connection cannot. Databases here use
 * a write-ahead log, so a rollback journal remains only from the moment in which a new or restored database was switched
 * to it. With commits in the write-ahead log the journal is a stale one, and is left alone.
 */
export async function rollBackJournal(file: string, waitMs: number): Promise<void> {
  if ((await readByteSize(file)) === 0 || (await readByteSize(`${file}-journal`)) === 0) return;
  if ((await readByteSize(`${file}-wal`)) > EMPTY_WAL_BYTES) return;
  const connection = await openConnection(file, waitMs);
  try {
    connection.prepare('select count(*) from sqlite_schema').get(); // the first access rolls back
  } catch {
    // the checks that follow find out what is wrong
  } finally {
    connection.close();
  }
}
