import { open } from 'node:fs/promises';
import { sql, type Transaction } from 'kysely';
import { isMissing } from '../machine/is-missing.js';
import type { Schema } from './schema.js';

const MAGIC = 'SQLite format 3\0';
const HEADER_BYTES = 100;
// Offsets of the SQLite file format, section 1.3 (https://www.sqlite.org/fileformat2.html#the_database_header).
const USER_VERSION_OFFSET = 60;
const APPLICATION_ID_OFFSET = 68;

/**
 * The header of a database file. `generation` and `storeTag` are copies of the store identity (`store/identity.ts`); 0
 * in a database that has none.
 */
export type DatabaseHeader =
  | { state: 'missing' }
  | { state: 'invalid' }
  | { state: 'valid'; generation: number; storeTag: number };

/**
 * Reads the header of a database without SQLite, which would delete the write-ahead log of a missing database. An empty
 * file counts as missing.
 */
export async function readDatabaseHeader(file: string): Promise<DatabaseHeader> {
  const handle = await open(file).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  if (!handle) return { state: 'missing' };
  try {
    const { buffer: header, bytesRead } = await handle.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0);
    if (bytesRead === 0) return { state: 'missing' };
    if (bytesRead < HEADER_BYTES || header.toString('latin1', 0, MAGIC.length) !== MAGIC) return { state: 'invalid' };
    return {
      state: 'valid',
      generation: header.readUInt32BE(USER_VERSION_OFFSET),
      storeTag: header.readInt32BE(APPLICATION_ID_OFFSET),
    };
  } finally {
    await handle.close();
  }
}

/** Writes these fields of the header of a database. */
export async function writeDatabaseHeader(
  transaction: Transaction<Schema>,
  { storeTag, generation }: { storeTag: number; generation: number },
): Promise<void> {
  await sql.raw(`pragma application_id = ${storeTag}`).execute(transaction);
  await sql.raw(`pragma user_version = ${generation}`).execute(transaction);
}
