import { type Kysely, sql } from 'kysely';
import { MIGRATIONS, type Migration } from '../migrations.js';
import type { Schema } from '../schema.js';
import { createReservationTrigger } from './reservation-trigger.js';

async function addObjects(db: Kysely<Schema>): Promise<void> {
  await db.schema.alterTable('operation').addColumn('lease', 'text').execute();
  await db.schema.alterTable('file').addColumn('blob_key', 'text').execute();
  await sql`create index file_object on file (blob_key) where blob_key is not null`.execute(db);
  await db.schema
    .createTable('object')
    .addColumn('key', 'text', (column) => column.primaryKey())
    .addColumn('owner', 'text', (column) => column.notNull())
    .addColumn('size', 'bigint', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('touched_at', 'bigint', (column) => column.notNull())
    .execute();
  // Only of these few rows, to find those that are to be deleted.
  await sql`create index object_unconfirmed on object (touched_at) where state <> 'confirmed'`.execute(db);
}

async function createFailedLoginTable(db: Kysely<Schema>): Promise<void> {
  await db.schema
    .createTable('failed_login')
    .addColumn('caller', 'text', (column) => column.primaryKey())
    .addColumn('count', 'integer', (column) => column.notNull())
    .addColumn('failed_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('failed_login_age').on('failed_login').column('failed_at').execute();
}

/**
 * Indexes for what would read a whole table. Those of files have the order of evictions: an index that begins with
 * `deleted_at` has it for SQLite, but not for PostgreSQL, where null is no constant.
 */
async function addIndexes(db: Kysely<Schema>): Promise<void> {
  await sql`create index operation_age on operation (retained_from) where state = 'completed'`.execute(db);
  await sql`create index operation_unfinished on operation (input_id) where state in ('queued', 'running')`.execute(db);
  await sql`create index file_stored_age on file (retained_from) where deleted_at is null`.execute(db);
  await sql`create index file_stored_owner_age on file (owner, retained_from) where deleted_at is null`.execute(db);
}

/** A program without these columns gives the jobs of new operations a lower turn, until the next maintenance. */
async function addTagBases(db: Kysely<Schema>): Promise<void> {
  for (const name of ['normal_base', 'low_base']) {
    await db.schema
      .alterTable('queue')
      .addColumn(name, 'bigint', (column) => column.notNull().defaultTo(0))
      .execute();
  }
}

async function addReservedSpace(db: Kysely<Schema>): Promise<void> {
  await sql`alter table usage add column reserved bigint not null default 0`.execute(db);
  await createReservationTrigger(db);
}

/** The turns of the processes to check a file, in one row. */
async function addScrubTurns(db: Kysely<Schema>): Promise<void> {
  await db.schema.alterTable('scrub').addColumn('lease', 'text').execute();
  await db.schema
    .alterTable('scrub')
    .addColumn('due_at', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
  await sql`insert into scrub (last_id) select '' where not exists (select from scrub)`.execute(db);
}

/** Of users whom only programs without these columns have served, the time is 0: they begin with that of the queue. */
async function addVirtualTimes(db: Kysely<Schema>): Promise<void> {
  for (const table of ['queue', 'user_queue']) {
    await db.schema
      .alterTable(table)
      .addColumn('virtual_ms', 'double precision', (column) => column.notNull().defaultTo(0))
      .execute();
  }
}

/**
 * All migrations of PostgreSQL, oldest first: with what only processes on several machines need. A column that SQLite does
 * not use would change its plans, because they depend on the size of a row.
 */
export const POSTGRES_MIGRATIONS: readonly Migration[] = [
  ...MIGRATIONS,
  { version: 12, up: addObjects, oldestProgram: 12 },
  { version: 13, up: createFailedLoginTable },
  { version: 14, up: addIndexes },
  { version: 15, up: addTagBases },
  { version: 16, up: addReservedSpace },
  { version: 17, up: addScrubTurns },
  { version: 22, up: addVirtualTimes },
].sort((left, right) => left.version - right.version);
