import { sql, type Transaction } from 'kysely';
import { StartError } from '../../start-error.js';
import type { AccountSnapshot } from '../../store/accounts.js';
import { UPLOAD_ROUTE } from '../../store/idempotency-keys.js';
import type { Schema } from '../../store/schema.js';

// What a service writes. The other tables have rows from the start on, or none that matter.
const TABLES = ['user', 'client', 'token', 'file', 'operation', 'idempotency_key', 'object'] as const;

// Rows of one statement, which has at most 65,535 parameters.
const BATCH = 1000;

/**
 * Locks the tables for all other writers until the end of the transaction, and checks that they are empty. Throws
 * `DATABASE_NOT_EMPTY`.
 */
export async function requireEmptyTables(transaction: Transaction<Schema>): Promise<void> {
  const names = sql.join(TABLES.map((table) => sql.table(table)));
  await sql`lock table ${names} in share row exclusive mode`.execute(transaction);
  for (const table of TABLES) {
    const { rows } = await sql`select from ${sql.table(table)} limit 1`.execute(transaction);
    if (rows.length === 0) continue;
    const remedy = 'Create an empty database for it, and run: model-processing migrate';
    throw new StartError('DATABASE_NOT_EMPTY', `Could not recover: the table "${table}" has rows. ${remedy}`);
  }
}

function* batchesOf<T>(rows: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < rows.length; start += BATCH) yield rows.slice(start, start + BATCH);
}

/** Inserts all users and clients, and the number of changes to them. */
export async function insertAccounts(
  transaction: Transaction<Schema>,
  { serial, users, clients }: AccountSnapshot,
): Promise<void> {
  await transaction.updateTable('account_serial').set({ serial }).execute();
  for (const batch of batchesOf(users)) await transaction.insertInto('user').values(batch).execute();
  for (const batch of batchesOf(clients)) await transaction.insertInto('client').values(batch).execute();
}

/**
 * Inserts the rows of the chosen files, of their objects and of the keys of uploads, the newest upload of a key first. The
 * trigger would update the row of each user once per file, which takes quadratic time in one transaction.
 */
export async function insertFiles(transaction: Transaction<Schema>, now: number): Promise<void> {
  await sql`alter table file disable trigger usage_added`.execute(transaction);
  await sql`
    insert into file (
      id, owner, kind, filename, media_type, size, created_at, retained_from, read_at, sha256, block_crcs, damaged_at,
      deleted_at, blob_key
    )
    select
      id, owner, kind, filename, media_type, size, created_at, ${now}::bigint, ${now}::bigint, sha256, block_crcs,
      case when is_complete then null else ${now}::bigint end, null, blob_key
    from recovery_file`.execute(transaction);
  await sql`alter table file enable trigger usage_added`.execute(transaction);
  await sql`
    insert into usage (owner, bytes) select owner, sum(size) from recovery_file group by owner
    on conflict (owner) do update set bytes = excluded.bytes`.execute(transaction);
  await sql`
    insert into object (key, owner, size, state, created_at, touched_at)
    select blob_key, min(owner), max(size), 'confirmed', ${now}::bigint, ${now}::bigint
    from recovery_file group by blob_key`.execute(transaction);
  await sql`
    insert into idempotency_key (owner, route, key, fingerprint, resource_id, created_at)
    select distinct on (owner, request_key) owner, ${UPLOAD_ROUTE}, request_key, fingerprint, id, ${now}::bigint
    from recovery_file where request_key is not null and is_complete
    order by owner, request_key, created_at desc`.execute(transaction);
}
