import { type Kysely, sql } from 'kysely';
import type { Schema } from '../schema.js';

const STATEMENTS = [
  sql`create function count_reserved() returns trigger language plpgsql as $$
    declare
      change bigint := coalesce(case when new.state = 'open' then new.size end, 0)
        - coalesce(case when old.state = 'open' then old.size end, 0);
    begin
      if change <> 0 then
        insert into usage (owner, bytes, reserved) values (coalesce(new.owner, old.owner), 0, change)
          on conflict (owner) do update set reserved = usage.reserved + excluded.reserved;
      end if;
      return null;
    end $$`,
  sql`create trigger space_reserved after insert or delete or update of size, state on object
    for each row execute function count_reserved()`,
];

/**
 * Creates the trigger that keeps `usage.reserved` equal to the sum over the open objects of each user, whatever statement
 * changes them.
 */
export async function createReservationTrigger(db: Kysely<Schema>): Promise<void> {
  for (const statement of STATEMENTS) await statement.execute(db);
}
