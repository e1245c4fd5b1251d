import type { Kysely } from 'kysely';
import type { Schema } from './schema.js';

async function createAccountTables(db: Kysely<Schema>): Promise<void> {
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

async function createFileTable(db: Kysely<Schema>): Promise<void> {
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

async function createOperationTable(db: Kysely<Schema>): Promise<void> {
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

/** Creates the tables of the first version of the database. */
export async function createFirstTables(db: Kysely<Schema>): Promise<void> {
  await createAccountTables(db);
  await createFileTable(db);
  await createOperationTable(db);
}
