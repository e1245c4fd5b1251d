import { existsSync } from 'node:fs';
import { Kysely, type SqliteDatabase, SqliteDialect, type SqliteStatement } from 'kysely';
import { StartError } from '../start-error.js';
import { MIGRATIONS, type Migration, migrate, readVersion } from './migrations.js';
import { type Connection, openConnection } from './open-connection.js';
import type { Schema } from './schema.js';

/** The store: every query goes through it. */
export type Store = Kysely<Schema>;

// Two processes never share the file (the folder is locked), so a short wait covers a copy or a check from outside.
const LOCK_WAIT_MS = 5000;

// Queries are built by a fixed set of functions, so this is only a guard against growth.
const MAX_STATEMENTS = 500;

/** Prepares each text of SQL once: preparing costs more than most queries. */
function withPreparedStatements(connection: Connection): SqliteDatabase {
  const statements = new Map<string, SqliteStatement>();
  return {
    prepare(text) {
      const existing = statements.get(text);
      if (existing) return existing;
      if (statements.size >= MAX_STATEMENTS) statements.clear();
      const prepared = connection.prepare(text);
      // kysely knows the parameters as unknown, libsql as unknown[]: they are the same array.
      const isLimited = text.endsWith(' limit ?');
      const statement: SqliteStatement = {
        reader: prepared.reader,
        // One row is read faster alone than as the first of many.
        all: (parameters) =>
          isLimited && parameters.at(-1) === 1
            ? [prepared.get(...parameters)].filter((row) => row !== undefined)
            : prepared.all(...parameters),
        run: (parameters) => prepared.run(...parameters),
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
 * Opens the store in `file`, made or upgraded as needed; before an upgrade the old one is copied to `<file>.v<version>`. What was
 * committed survives a loss of power (write-ahead log, synchronous=FULL). A store of a newer program is refused: `FOLDER_NEWER`.
 */
export async function openStore(file: string, migrations: readonly Migration[] = MIGRATIONS): Promise<Store> {
  const connection = await openConnection(file, LOCK_WAIT_MS);
  connection.pragma('journal_mode = WAL');
  connection.pragma('synchronous = FULL');
  const store = new Kysely<Schema>({ dialect: new SqliteDialect({ database: withPreparedStatements(connection) }) });
  try {
    const version = await readVersion(store);
    const newest = migrations.at(-1)?.version ?? 0;
    if (version > newest) {
      const message = `the data folder has version ${version} of the store, this program knows versions up to ${newest}: install a newer one, or name another folder`;
      throw new StartError('FOLDER_NEWER', message);
    }
    const copy = `${file}.v${version}`;
    if (version > 0 && version < newest && !existsSync(copy)) connection.prepare('vacuum into ?').run(copy);
    await migrate(store, migrations);
    return store;
  } catch (error) {
    await store.destroy();
    throw error;
  }
}
