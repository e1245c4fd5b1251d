import { existsSync } from 'node:fs';
import { Kysely, type SqliteDatabase, SqliteDialect, type SqliteStatement, sql } from 'kysely';
import { isDiskFull } from '../service-error.js';
import { StartError } from '../start-error.js';
import type { Store } from './database.js';
import { MIGRATIONS, type Migration, migrate, readVersion } from './migrations.js';
import { type Connection, openConnection } from './open-connection.js';
import type { Schema } from './schema.js';

// Two services never share the file, because the folder is locked. The wait covers account commands, backups and
// checks.
export const LOCK_WAIT_MS = 5000;

// Bounds the cache of statements. A fixed set of functions builds the queries, so it is not reached.
const MAX_STATEMENTS = 500;

// SQLite has rolled back a transaction that failed on a full disk. Rolling it back again would hide the error.
const NO_CHANGES = { changes: 0, lastInsertRowid: 0 };

/** Wraps a connection so that each SQL text is prepared only once: preparing costs more than most queries. */
function withPreparedStatements(connection: Connection): SqliteDatabase {
  const statements = new Map<string, SqliteStatement>();
  return {
    prepare(text) {
      const existing = statements.get(text);
      if (existing) return existing;
      if (statements.size >= MAX_STATEMENTS) statements.clear();
      const prepared = connection.prepare(text);
      // kysely types the parameters as unknown, libsql as unknown[]: both are the same array.
      const isLimited = text.endsWith(' limit ?');
      const statement: SqliteStatement = {
        reader: prepared.reader,
        // `get` is faster than `all` for a single row.
        all: (parameters) => {
          if (!isLimited || parameters.at(-1) !== 1) return prepared.all(...parameters);
          const row = prepared.get(...parameters) as Record<string, unknown> | undefined; // libsql types it as unknown
          if (row === undefined) return [];
          const { _metadata, ...columns } = row; // libsql adds the duration of the query
          return [columns];
        },
        run: (parameters) =>
          text === 'rollback' && !connection.inTransaction ? NO_CHANGES : prepared.run(...parameters),
        iterate: (parameters) => prepared.iterate(...parameters),
      };
      statements.set(text, statement);
      return statement;
    },
    close() {
      statements.clear();
      connection.close();
    },
  };
}

/**
 * Opens a connection with a write-ahead log. On a full disk, where the shared memory of the log cannot be created, no other
 * connection is possible until this one is closed.
 */
async function openWalConnection(file: string): Promise<Connection> {
  const connection = await openConnection(file, LOCK_WAIT_MS);
  try {
    connection.pragma('journal_mode = WAL');
    return connection;
  } catch (error) {
    connection.close();
    if (!isDiskFull(error)) throw error;
  }
  const exclusive = await openConnection(file, LOCK_WAIT_MS);
  exclusive.pragma('locking_mode = EXCLUSIVE');
  exclusive.pragma('journal_mode = WAL');
  return exclusive;
}

/**
 * Opens the database `file`, creating or upgrading it if needed. Before an upgrade it is copied to `<file>.v<version>`.
 * Committed data survives a power loss (write-ahead log, synchronous=FULL). Throws `FOLDER_NEWER` if a newer version of
 * the program wrote it.
 */
export async function openStore(file: string, migrations: readonly Migration[] = MIGRATIONS): Promise<Store> {
  const connection = await openWalConnection(file);
  connection.pragma('synchronous = FULL');
  const store = new Kysely<Schema>({ dialect: new SqliteDialect({ database: withPreparedStatements(connection) }) });
  try {
    const version = await readVersion(store);
    const newest = migrations.at(-1)?.version ?? 0;
    if (version > newest) {
      const reason = `its database has version ${version}, and this program supports versions up to ${newest}`;
      const remedy = 'Install a newer version, or choose another folder with --data.';
      throw new StartError('FOLDER_NEWER', `Could not open the data folder: ${reason}. ${remedy}`);
    }
    const copy = `${file}.v${version}`;
    if (version > 0 && version < newest && !existsSync(copy)) connection.prepare('vacuum into ?').run(copy);
    await migrate(store, version, migrations);
    return store;
  } catch (error) {
    await store.destroy();
    throw error;
  }
}

/**
 * Copies the write-ahead log into the database file and truncates it. Resolves with false if another connection, such
 * as a backup, prevents it.
 */
export async function truncateWal(store: Store): Promise<boolean> {
  const { rows } = await sql<{ busy: number }>`pragma wal_checkpoint(truncate)`.execute(store);
  return rows[0]?.busy === 0;
}

/** Copies the database as it is now, without unused pages, to `file`, which does not exist. Does not sync it. */
export async function vacuumInto(store: Store, file: string): Promise<void> {
  await sql`vacuum into ${file}`.execute(store);
}

/** Merges the write-ahead log into the database, which is then a single file and can be renamed after `destroy`. */
export async function removeWal(store: Store): Promise<void> {
  await sql`pragma journal_mode = delete`.execute(store);
}
