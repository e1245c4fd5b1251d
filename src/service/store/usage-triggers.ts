import { type Kysely, type RawBuilder, sql } from 'kysely';
import { dialectOf } from './dialect.js';
import type { Schema } from './schema.js';

const ADD = sql`insert into usage (owner, bytes) values (new.owner, new.size)
  on conflict (owner) do update set bytes = usage.bytes + excluded.bytes`;
const SUBTRACT = sql`update usage set bytes = bytes - old.size where owner = old.owner`;

const SQLITE_TRIGGERS = [
  sql`create trigger usage_added after insert on file
    when new.deleted_at is null begin ${ADD}; end`,
  sql`create trigger usage_restored after update of deleted_at on file
    when old.deleted_at is not null and new.deleted_at is null begin ${ADD}; end`,
  sql`create trigger usage_deleted after update of deleted_at on file
    when old.deleted_at is null and new.deleted_at is not null begin ${SUBTRACT}; end`,
  sql`create trigger usage_removed after delete on file
    when old.deleted_at is null begin ${SUBTRACT}; end`,
];

/** A trigger of PostgreSQL calls a function. */
function createFunction(name: string, statement: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`create function ${sql.ref(name)}() returns trigger language plpgsql as $$
    begin ${statement}; return null; end $$`;
}

const POSTGRES_TRIGGERS = [
  createFunction('add_usage', ADD),
  createFunction('subtract_usage', SUBTRACT),
  sql`create trigger usage_added after insert on file for each row
    when (new.deleted_at is null) execute function add_usage()`,
  sql`create trigger usage_restored after update of deleted_at on file for each row
    when (old.deleted_at is not null and new.deleted_at is null) execute function add_usage()`,
  sql`create trigger usage_deleted after update of deleted_at on file for each row
    when (old.deleted_at is null and new.deleted_at is not null) execute function subtract_usage()`,
  sql`create trigger usage_removed after delete on file for each row
    when (old.deleted_at is null) execute function subtract_usage()`,
];

const TRIGGERS = { sqlite: SQLITE_TRIGGERS, postgres: POSTGRES_TRIGGERS };

/**
 * Creates the triggers that keep `usage` equal to the sums over `file`, whatever statement changes it: summing 100,000
 * files takes 30 ms, and is needed several times per upload.
 */
export async function createUsageTriggers(db: Kysely<Schema>): Promise<void> {
  for (const statement of TRIGGERS[dialectOf(db).name]) await statement.execute(db);
}
