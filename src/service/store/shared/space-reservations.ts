import { sql, type Transaction } from 'kysely';
import { findRecordedFile } from '../../blobs/s3/object-keys.js';
import type { Store } from '../database.js';
import type { Schema } from '../schema.js';

// An arbitrary number that no other program is likely to lock.
const TOTAL_LOCK = 7_305_808_868_190_342;

/** The max sizes of all stored and reserved files, in bytes. `Infinity`: no limit. */
export interface SpaceLimits {
  /** Of all users. */
  quotaBytes: number;
  /** Of each user who has no quota of their own. */
  userQuotaBytes: number;
}

/** The object that a file is written to, or, of a file that shares an object, its record. */
export interface ReservedObject {
  owner: string;
  key: string;
  /** The space to reserve for it in total. */
  bytes: number;
}

/** What is stored or reserved for other objects than one. */
export interface UsedSpace {
  /** By all users. */
  totalBytes: number;
  ownBytes: number;
  ownQuotaBytes: number;
}

/** The result of a reservation. Lost: the object is confirmed or to be deleted. */
export type ReservationOutcome = 'reserved' | 'full' | 'lost';

/** Returns an SQL parameter for a limit: null without one. */
function limitOf(bytes: number) {
  return sql`${Number.isFinite(bytes) ? Math.floor(bytes) : null}::bigint`;
}

/**
 * Creates the queries for the space that objects in the state *open* reserve. `now`: the time of the database. Processes
 * that share a database have to have the same limits.
 */
export function createSpaceReservations(store: Store, { quotaBytes, userQuotaBytes }: SpaceLimits, now: () => number) {
  const total = limitOf(quotaBytes);

  /**
   * Locks the usage of the user, and opens the object or changes its reservation if all fits. One statement: the lock is held
   * for no longer than it runs. The trigger of the object then changes the usage.
   */
  const tryReserve = async (executor: Store | Transaction<Schema>, { owner, key, bytes }: ReservedObject) => {
    const { rows } = await sql<{ isReserved: boolean; fits: boolean }>`
      with own as (
        insert into usage (owner, bytes) values (${owner}, 0)
        on conflict (owner) do update set bytes = usage.bytes
        returning bytes + reserved as used
      ), space as (
        select
          used + ${bytes}::bigint - coalesce((select size from object where key = ${key} and state = 'open'), 0) as needed,
          coalesce((select quota_bytes from "user" where id = ${owner}), ${limitOf(userQuotaBytes)}) as quota,
          case when ${total} is null then 0
            else (select coalesce(sum(bytes + reserved), 0) from usage where owner <> ${owner}) end as others
        from own
      ), fitting as (
        select coalesce(needed <= quota, true) and coalesce(needed + others <= ${total}, true) as fits from space
      ), reserved as (
        insert into object (key, owner, size, state, created_at, touched_at)
        select ${key}, ${owner}, ${bytes}::bigint, 'open', ${now()}::bigint, ${now()}::bigint from fitting where fits
        on conflict (key) do update set size = excluded.size, touched_at = excluded.touched_at
          where object.state = 'open'
        returning key
      )
      select fits, exists (select 1 from reserved) as "isReserved" from fitting`.execute(executor);
    return rows[0];
  };

  return {
    /**
     * Reserves space for an object. What was reserved for it before remains if this does not fit. With a limit for all
     * users, their reservations wait for each other: each counts those before it.
     */
    async reserve(object: ReservedObject): Promise<ReservationOutcome> {
      const reserve = async (executor: Store | Transaction<Schema>): Promise<ReservationOutcome> => {
        const row = await tryReserve(executor, object);
        if (row?.isReserved) return 'reserved';
        return row?.fits ? 'lost' : 'full';
      };
      if (!Number.isFinite(quotaBytes)) return reserve(store);
      return store.transaction().execute(async (transaction) => {
        await sql`select pg_advisory_xact_lock(${TOTAL_LOCK}::bigint)`.execute(transaction);
        return reserve(transaction);
      });
    },

    /** Reads what is used, without the object `key`. Without a limit for all users, only what this user uses. */
    async read(owner: string, key = ''): Promise<UsedSpace> {
      const { rows } = await sql<{ total: number; own: number; quota: number | null }>`
        with this as (
          select owner, -size as bytes from object where key = ${key} and state = 'open'
        ), used as (
          select owner, bytes + reserved as bytes from usage union all select owner, bytes from this
        )
        select
          coalesce(sum(bytes), 0)::bigint as total,
          coalesce(sum(bytes) filter (where owner = ${owner}), 0)::bigint as own,
          (select quota_bytes from "user" where id = ${owner}) as quota
        from used where ${total} is not null or owner = ${owner}`.execute(store);
      const { total: totalBytes = 0, own: ownBytes = 0, quota = null } = rows[0] ?? {};
      return { totalBytes, ownBytes, ownQuotaBytes: quota ?? userQuotaBytes };
    },

    /** Returns the stored and reserved bytes of each user who has any, without the object `key`. */
    async byOwner(key = ''): Promise<Map<string, number>> {
      const { rows } = await sql<{ owner: string; bytes: number }>`
        select owner, (usage.bytes + reserved - coalesce(
          (select size from object where key = ${key} and state = 'open' and object.owner = usage.owner), 0)) as bytes
        from usage where usage.bytes + reserved > 0`.execute(store);
      return new Map(rows.filter(({ bytes }) => bytes > 0).map(({ owner, bytes }) => [owner, bytes]));
    },

    /**
     * Ends the reservation of an object whose file was not added. The object is deleted; a record is left to expire, as the
     * next attempt of the operation may write the same one.
     */
    async release(key: string): Promise<void> {
      const isRecord = findRecordedFile(key) !== undefined;
      await store
        .updateTable('object')
        .set(isRecord ? { size: 0 } : { state: 'deleting' })
        .where('key', '=', key)
        .where('state', '=', 'open')
        .execute();
    },
  };
}

/** The queries for the space that open objects reserve. */
export type SpaceReservations = ReturnType<typeof createSpaceReservations>;
