import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { createFirstTables } from './create-first-tables.js';
import type { Schema } from './schema.js';
import { createUsageTriggers } from './usage-triggers.js';

/** One upgrade of the database from the previous version to `version`. Released migrations never change. */
export interface Migration {
  version: number;
  /**
   * The oldest program that can use the database from then on, as the newest version that it knows. Default: as before.
   * Needed where several processes share a database and are upgraded one after the other: a release adds what the next
   * one uses, and removes only what its predecessor no longer uses.
   */
  oldestProgram?: number;
  up(db: Kysely<Schema>): Promise<void>;
}

async function addResultCache(db: Kysely<Schema>): Promise<void> {
  await db.schema.alterTable('operation').addColumn('input_hash', 'text').execute();
  await db.schema.alterTable('operation').addColumn('kernel', 'text').execute();
  await db.schema.createIndex('operation_input').on('operation').columns(['input_id', 'kind']).execute();
  await db.schema.createIndex('operation_input_hash').on('operation').columns(['input_hash', 'kind']).execute();
  // A covering index: the sizes are summed before each upload.
  await db.schema.createIndex('file_held').on('file').columns(['deleted_at', 'size']).execute();
}

async function createIdentityTable(db: Kysely<Schema>): Promise<void> {
  await db.schema
    .createTable('identity')
    .addColumn('store_id', 'text', (column) => column.notNull())
    .addColumn('generation', 'bigint', (column) => column.notNull())
    .execute();
}

async function addRetentionClock(db: Kysely<Schema>): Promise<void> {
  await db.schema
    .createTable('retention_time')
    .addColumn('time', 'bigint', (column) => column.notNull())
    .addColumn('saved_at', 'bigint', (column) => column.notNull())
    .execute();
  // The clock starts with the time of the system clock, so the times of existing rows are also times of this clock.
  await db.schema
    .alterTable('file')
    .addColumn('retained_from', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema.alterTable('operation').addColumn('retained_from', 'bigint').execute();
  await sql`update file set retained_from = created_at`.execute(db);
  await sql`update operation set retained_from = finished_at`.execute(db);
  await db.schema.dropIndex('file_age').execute();
  await db.schema.createIndex('file_age').on('file').columns(['deleted_at', 'retained_from']).execute();
}

async function addDigests(db: Kysely<Schema>): Promise<void> {
  await db.schema.alterTable('file').addColumn('sha256', 'text').execute();
  await db.schema.alterTable('file').addColumn('block_crcs', 'text').execute();
  await db.schema.alterTable('file').addColumn('damaged_at', 'bigint').execute();
  await db.schema.createIndex('file_sha256').on('file').column('sha256').execute();
}

async function addAccountSerial(db: Kysely<Schema>): Promise<void> {
  await db.schema
    .createTable('account_serial')
    .addColumn('serial', 'bigint', (column) => column.notNull())
    .execute();
  await db.insertInto('account_serial').values({ serial: 0 }).execute();
  // The copies of the users and clients name the store. A database has had its identity only from its first start on.
  const identity = await db.selectFrom('identity').select('store_id').executeTakeFirst();
  if (!identity) await db.insertInto('identity').values({ store_id: randomUUID(), generation: 0 }).execute();
}

async function createScrubTable(db: Kysely<Schema>): Promise<void> {
  await db.schema
    .createTable('scrub')
    .addColumn('last_id', 'text', (column) => column.notNull())
    .execute();
}

async function addUserQuotas(db: Kysely<Schema>): Promise<void> {
  await db.schema.alterTable('user').addColumn('quota_bytes', 'bigint').execute();
  await db.schema
    .createTable('usage')
    .addColumn('owner', 'text', (column) => column.primaryKey())
    .addColumn('bytes', 'bigint', (column) => column.notNull())
    .execute();
  await sql`insert into usage select owner, sum(size) from file where deleted_at is null group by owner`.execute(db);
  await createUsageTriggers(db);
  await db.schema.dropIndex('file_held').execute();
  // Finds the oldest files of one user.
  await db.schema.createIndex('file_owner_age').on('file').columns(['deleted_at', 'owner', 'retained_from']).execute();
}

async function addFairQueue(db: Kysely<Schema>): Promise<void> {
  const { schema } = db;
  await schema
    .alterTable('operation')
    .addColumn('priority', 'text', (column) => column.notNull().defaultTo('normal'))
    .execute();
  await schema
    .alterTable('operation')
    .addColumn('tag', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
  await schema
    .createTable('queue')
    .addColumn('waiting', 'integer', (column) => column.notNull())
    .addColumn('normal_tag', 'bigint', (column) => column.notNull())
    .addColumn('low_tag', 'bigint', (column) => column.notNull())
    .addColumn('claimed_at', 'bigint')
    .addColumn('claim_interval_ms', 'double precision', (column) => column.notNull())
    .execute();
  await schema
    .createTable('user_queue')
    .addColumn('owner', 'text', (column) => column.primaryKey())
    .addColumn('waiting', 'integer', (column) => column.notNull())
    .addColumn('normal_tag', 'bigint', (column) => column.notNull())
    .addColumn('low_tag', 'bigint', (column) => column.notNull())
    .execute();
  await sql`insert into queue (waiting, normal_tag, low_tag, claim_interval_ms) values (0, 0, 0, 0)`.execute(db);
  await sql`
    update operation set tag = numbered.tag
    from (
      select id, row_number() over (partition by owner order by created_at) - 1 as tag
      from operation where state = 'queued'
    ) as numbered
    where numbered.id = operation.id`.execute(db);
  await schema.dropIndex('operation_queue').execute();
  await schema
    .createIndex('operation_queue')
    .on('operation')
    .columns(['state', 'priority desc', 'tag', 'created_at'])
    .execute();
  // Only of these few rows, to find those that have waited for long.
  await sql`create index operation_low on operation (created_at) where state = 'queued' and priority = 'low'`.execute(
    db,
  );
}

async function addListIndexes(db: Kysely<Schema>): Promise<void> {
  // With the owner first: SQLite would otherwise search all operations of the owner for a cached result.
  await db.schema.dropIndex('operation_input_hash').execute();
  await sql`create index operation_input_hash on operation (owner, input_hash, kind)`.execute(db);
  await sql`create index operation_list on operation (owner, created_at, id)`.execute(db);
  await sql`create index file_list on file (owner, created_at, id) where deleted_at is null`.execute(db);
}

async function createIdempotencyKeyTable(db: Kysely<Schema>): Promise<void> {
  await db.schema
    .createTable('idempotency_key')
    .addColumn('owner', 'text', (column) => column.notNull())
    .addColumn('route', 'text', (column) => column.notNull())
    .addColumn('key', 'text', (column) => column.notNull())
    .addColumn('fingerprint', 'text', (column) => column.notNull())
    .addColumn('resource_id', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('idempotency_key_unique', ['owner', 'route', 'key'])
    .execute();
  await db.schema.createIndex('idempotency_key_age').on('idempotency_key').column('created_at').execute();
}

async function createSessionTables(db: Kysely<Schema>): Promise<void> {
  await db.schema
    .createTable('session')
    .addColumn('hash', 'text', (column) => column.primaryKey())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('password_hash', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('session_expiry').on('session').column('expires_at').execute();
  await db.schema
    .createTable('owner')
    .addColumn('user_id', 'text', (column) => column.primaryKey())
    .execute();
}

async function addCallbackTurns(db: Kysely<Schema>): Promise<void> {
  await sql`create index operation_due_callback on operation (owner, callback_next_at) where callback_state = 'due'`.execute(
    db,
  );
}

/** Sessions that began before it get the longest life that a new one has by default. */
async function addSessionEnds(db: Kysely<Schema>): Promise<void> {
  await db.schema.alterTable('session').addColumn('ends_at', 'bigint').execute();
  await sql`update session set ends_at = expires_at + ${sql.lit(30 * 24 * 3_600_000)} where kind = 'session'`.execute(
    db,
  );
}

/** The operations of each user are now found apart, since users take turns by time. */
async function indexQueueByUser(db: Kysely<Schema>): Promise<void> {
  await db.schema.dropIndex('operation_queue').execute();
  await db.schema
    .createIndex('operation_queue')
    .on('operation')
    .columns(['state', 'priority desc', 'owner', 'tag', 'created_at'])
    .execute();
}

/** All migrations of both databases, oldest first. `postgres/migrations.ts` adds those of PostgreSQL. */
export const MIGRATIONS: readonly Migration[] = [
  { version: 1, up: createFirstTables },
  { version: 2, up: addResultCache },
  { version: 3, up: createIdentityTable },
  { version: 4, up: addRetentionClock },
  { version: 5, up: addDigests },
  { version: 6, up: addAccountSerial },
  { version: 7, up: createScrubTable },
  { version: 8, up: addUserQuotas },
  { version: 9, up: addFairQueue },
  { version: 10, up: addListIndexes },
  { version: 11, up: createIdempotencyKeyTable },
  { version: 18, up: createSessionTables }, // 12 to 17 are of PostgreSQL
  { version: 19, up: addCallbackTurns },
  { version: 20, up: addSessionEnds },
  { version: 21, up: indexQueueByUser },
];

/** Reads the version of a database; 0 for an empty one. */
export async function readVersion(db: Kysely<Schema>): Promise<number> {
  const tables = await sql`select 1 from sqlite_schema where name = 'store'`.execute(db);
  if (tables.rows.length === 0) return 0;
  const { rows } = await sql<{ version: number }>`select version from store`.execute(db);
  return rows[0]?.version ?? 0;
}

/**
 * Runs those of the migrations that the database lacks, oldest first, in one transaction: another process may have run
 * them since `from` was read.
 */
function runTogether(db: Kysely<Schema>, from: number, migrations: readonly Migration[]): Promise<void> {
  return db.transaction().execute(async (transaction) => {
    // The first statement takes the lock for writing, and waits for a process that has it.
    if (from === 0) await sql`create table if not exists store (version integer not null)`.execute(transaction);
    else await sql`update store set version = version`.execute(transaction);
    const version = await readVersion(transaction);
    const missing = migrations.filter((migration) => migration.version > version);
    if (missing.length === 0) return;
    for (const migration of missing) await migration.up(transaction);
    await sql`delete from store`.execute(transaction);
    await sql`insert into store (version) values (${missing.at(-1)?.version})`.execute(transaction);
  });
}

/**
 * Upgrades a database of version `from` to the newest version: each migration in one transaction, but all those of an
 * empty database in a single one, because each transaction waits for the disk.
 */
export async function migrate(
  db: Kysely<Schema>,
  from: number,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<void> {
  const missing = migrations.filter(({ version }) => version > from);
  if (missing.length === 0) return;
  if (from === 0) await runTogether(db, from, missing);
  else for (const migration of missing) await runTogether(db, from, [migration]);
}
