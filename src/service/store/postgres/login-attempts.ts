import { sql, type Transaction } from 'kysely';
import { delayAfter } from '../../auth/failed-logins.js';
import type { LoginAttempt, LoginLimits, SharedFailures } from '../../auth/login-checks.js';
import type { Store } from '../database.js';
import type { Schema } from '../schema.js';

/** By the clock of the database, because it is the same for all processes. */
const NOW = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

// A failure adds at most one row.
const PURGE_COUNT = 100;

/** Locks the attempts of a caller until the transaction ends. Resolves with whether no other process has locked them. */
async function tryLock(transaction: Transaction<Schema>, caller: string): Promise<boolean> {
  const { rows } = await sql<{ isLocked: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${caller}, 0)) as "isLocked"`.execute(transaction);
  return rows[0]?.isLocked ?? false;
}

async function readFailures(
  transaction: Transaction<Schema>,
  caller: string,
  loginMemoryMs: number,
): Promise<SharedFailures> {
  const row = await transaction
    .selectFrom('failed_login')
    .select(['count', sql<number>`${NOW} - failed_at`.as('ageMs')])
    .where('caller', '=', caller)
    .executeTakeFirst();
  return row && row.ageMs < loginMemoryMs ? row : { count: 0, ageMs: 0 };
}

/**
 * Stores the number of failures. Then deletes those of all callers that are too old to count, except those that another
 * transaction changes: two that wait for each other's rows would both fail.
 */
async function storeFailures(
  transaction: Transaction<Schema>,
  caller: string,
  count: number,
  loginMemoryMs: number,
): Promise<void> {
  await transaction
    .insertInto('failed_login')
    .values({ caller, count, failed_at: NOW })
    .onConflict((conflict) => conflict.column('caller').doUpdateSet({ count, failed_at: NOW }))
    .execute();
  const oldCallers = transaction
    .selectFrom('failed_login')
    .select('caller')
    .where('failed_at', '<', sql<number>`${NOW} - ${loginMemoryMs}::bigint`)
    .where('caller', '!=', caller)
    .limit(PURGE_COUNT)
    .forUpdate()
    .skipLocked();
  await transaction.deleteFrom('failed_login').where('caller', 'in', oldCallers).execute();
}

/**
 * Creates the function that checks passwords for all processes that share a database: one attempt of a caller at a time,
 * and delays after failures wherever they happened. Only failures are written. A process that finds the caller locked or
 * delayed tries again later, and needs no connection meanwhile. During a check it uses two: this transaction, and one to
 * find the user.
 */
export function createSharedLoginAttempts(store: Store, limits: LoginLimits): LoginAttempt {
  const { loginMemoryMs } = limits;
  return (caller, check) =>
    store.transaction().execute(async (transaction) => {
      const isLocked = await tryLock(transaction, caller);
      const failures = await readFailures(transaction, caller, loginMemoryMs);
      const isDelayed = failures.count > 0 && failures.ageMs < delayAfter(failures.count, limits);
      if (!isLocked || isDelayed) return { isCorrect: undefined, failures };
      if (await check()) {
        if (failures.count > 0) await transaction.deleteFrom('failed_login').where('caller', '=', caller).execute();
        return { isCorrect: true };
      }
      await storeFailures(transaction, caller, failures.count + 1, loginMemoryMs);
      return { isCorrect: false, failures: { count: failures.count + 1, ageMs: 0 } };
    });
}
