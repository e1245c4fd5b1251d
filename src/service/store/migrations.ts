import { type Kysely, sql } from 'kysely';
import type { Schema } from './schema.js';

/** One step from a store of the version before to this one. Steps that were published never change. */
export interface Migration {
  version: number;
  up(db: Kysely<Schema>): Promise<void>;
}

async function accounts(db: Kysely<Schema>): Promise<void> {
  await db.schema
    .createTable('user')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('username', 'text', (column) => column.notNull().unique())
    .addColumn('password_hash', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('client')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('secret_hash', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('token')
    .addColumn('hash', 'text', (column) => column.primaryKey())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('family', 'text', (column) => column.notNull())
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('client_id', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addColumn('used_at', 'bigint')
    .addColumn('revoked_at', 'bigint')
    .execute();
  await db.schema.createIndex('token_family').on('token').column('family').execute();
  await db.schema.createIndex('token_expiry').on('token').column('expires_at').execute();
}

async function files(db: Kysely<Schema>): Promise<void> {
  await db.schema
    .createTable('file')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('owner', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('filename', 'text', (column) => column.notNull())
    .addColumn('media_type', 'text', (column) => column.notNull())
    .addColumn('size', 'bigint', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('read_at', 'bigint', (column) => column.notNull())
    .addColumn('deleted_at', 'bigint')
    .execute();
  await db.schema.createIndex('file_age').on('file').columns(['deleted_at', 'created_at']).execute();
}

async function operations(db: Kysely<Schema>): Promise<void> {
  await db.schema
    .createTable('operation')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('owner', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('is_successful', 'integer')
    .addColumn('input_id', 'text', (column) => column.notNull())
    .addColumn('output_id', 'text')
    .addColumn('filename', 'text', (column) => column.notNull())
    .addColumn('parameters', 'text', (column) => column.notNull())
    .addColumn('result', 'text')
    .addColumn('report', 'text')
    .addColumn('error', 'text')
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('progress', 'double precision')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('started_at', 'bigint')
    .addColumn('finished_at', 'bigint')
    .addColumn('callback_url', 'text')
    .addColumn('callback_state', 'text', (column) => column.notNull())
    .addColumn('callback_attempts', 'integer', (column) => column.notNull())
    .addColumn('callback_next_at', 'bigint')
    .execute();
  await db.schema.createIndex('operation_queue').on('operation').columns(['state', 'created_at']).execute();
  await db.schema
    .createIndex('operation_callbacks')
    .on('operation')
    .columns(['callback_state', 'callback_next_at'])
    .execute();
}

async function resultCache(db: Kysely<Schema>): Promise<void> {
  await db.schema.alterTable('operation').addColumn('input_hash', 'text').execute();
  await db.schema.alterTable('operation').addColumn('kernel', 'text').execute();
  await db.schema.createIndex('operation_input').on('operation').columns(['input_id', 'kind']).execute();
  await db.schema.createIndex('operation_input_hash').on('operation').columns(['input_hash', 'kind']).execute();
  // What is held is added up before each upload: of an index alone.
  await db.schema.createIndex('file_held').on('file').columns(['deleted_at', 'size']).execute();
}

/** All steps, oldest first. */
export const MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    up: async (db) => {
      await accounts(db);
      await files(db);
      await operations(db);
    },
  },
  { version: 2, up: resultCache },
];

/** The version of a store, 0 for an empty one. */
export async function readVersion(db: Kysely<Schema>): Promise<number> {
  await sql`create table if not exists store (version integer not null)`.execute(db);
  const { rows } = await sql<{ version: number }>`select version from store`.execute(db);
  return rows[0]?.version ?? 0;
}

/** Takes a store to the newest version known here, each step in one transaction. Answers the version it ends at. */
export async function migrate(db: Kysely<Schema>, migrations: readonly Migration[] = MIGRATIONS): Promise<number> {
  let version = await readVersion(db);
  for (const migration of migrations) {
    if (migration.version <= version) continue;
    await db.transaction().execute(async (transaction) => {
      await migration.up(transaction);
      await sql`delete from store`.execute(transaction);
      await sql`insert into store (version) values (${migration.version})`.execute(transaction);
    });
    version = migration.version;
  }
  return version;
}
