import { type Kysely, sql } from 'kysely';
import { StartError } from '../../start-error.js';
import type { Migration } from '../migrations.js';
import type { Schema } from '../schema.js';

// An arbitrary number that no other program is likely to lock.
const MIGRATION_LOCK = 7_305_808_868_190_341;

interface SchemaVersion {
  /** 0 for an empty database. */
  version: number;
  /** The oldest program that can use the tables, as the newest version that it knows. */
  oldestProgram: number;
}

async function readSchemaVersion(db: Kysely<Schema>): Promise<SchemaVersion> {
  const empty = { version: 0, oldestProgram: 0 };
  const tables = await sql<{ name: string | null }>`select to_regclass('store')::text as name`.execute(db);
  if (!tables.rows[0]?.name) return empty;
  const { rows } = await sql<SchemaVersion>`select version, oldest_program as "oldestProgram" from store`.execute(db);
  return rows[0] ?? empty;
}

function newestVersion(migrations: readonly Migration[]): number {
  return migrations.at(-1)?.version ?? 0;
}

/** Throws `DATABASE_NEWER` if a newer program made tables that exclude one with these migrations. */
function refuseNewer({ version, oldestProgram }: SchemaVersion, newest: number): void {
  if (version <= newest || oldestProgram <= newest) return;
  const reason = `its tables have version ${version} and require ${oldestProgram}, and this program supports ${newest}`;
  throw new StartError('DATABASE_NEWER', `Could not use the database: ${reason}. Install a newer version.`);
}

/**
 * Checks that a program with these migrations can use the tables as they are, without the right to change them. Resolves
 * with whether they are of its version or a newer one. Throws `DATABASE_NEWER`.
 */
async function isUpToDate(db: Kysely<Schema>, migrations: readonly Migration[]): Promise<boolean> {
  const schema = await readSchemaVersion(db);
  const newest = newestVersion(migrations);
  refuseNewer(schema, newest);
  return schema.version >= newest;
}

/** Throws `DATABASE_OUTDATED` if the tables have to be upgraded first, and `DATABASE_NEWER` if they exclude this program. */
export async function requireVersion(db: Kysely<Schema>, migrations: readonly Migration[]): Promise<void> {
  if (await isUpToDate(db, migrations)) return;
  const remedy = 'Run: model-processing migrate';
  throw new StartError('DATABASE_OUTDATED', `Could not use the database: its tables have to be upgraded. ${remedy}`);
}

/**
 * Upgrades the tables in one transaction. Of several processes that do so at once, one does it and the others wait: the
 * lock of the transaction also works through PgBouncer. Throws `DATABASE_NEWER`.
 */
export async function upgradeTables(db: Kysely<Schema>, migrations: readonly Migration[]): Promise<void> {
  if (await isUpToDate(db, migrations)) return;
  await db.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`.execute(transaction);
    await sql`create table if not exists store (version integer not null, oldest_program integer not null)`.execute(
      transaction,
    );
    const schema = await readSchemaVersion(transaction);
    refuseNewer(schema, newestVersion(migrations));
    const missing = migrations.filter(({ version }) => version > schema.version);
    if (missing.length === 0) return;
    for (const migration of missing) await migration.up(transaction);
    const oldestProgram = Math.max(schema.oldestProgram, ...missing.map((migration) => migration.oldestProgram ?? 0));
    await sql`delete from store`.execute(transaction);
    await sql`insert into store (version, oldest_program) values (${newestVersion(missing)}, ${oldestProgram})`.execute(
      transaction,
    );
  });
}
