import { syncToDisk } from '../machine/sync-to-disk.js';
import type { Store } from '../store/database.js';
import { claimKey, type KeyClaim } from '../store/idempotency-keys.js';
import { createIdentity } from '../store/identity.js';
import { createRetentionTimes } from '../store/retention-times.js';
import type { FileRow, IdempotencyKeyRow, IdentityRow, OperationRow } from '../store/schema.js';
import { openStore, vacuumInto } from '../store/sqlite.js';
import type { ChosenAccounts } from './choose-accounts.js';

/** The content of a recovered database. */
export interface RecoveredContent {
  identity: IdentityRow;
  accounts: ChosenAccounts;
  operations: Iterable<OperationRow>;
  /** Read after all operations. */
  files: Map<string, FileRow>;
  /** Those of files and operations that are not recovered are free. */
  keys: Iterable<IdempotencyKeyRow>;
  /** The claims of files, by their ids. Each gets its key unless a recovered file or an earlier claim has it. */
  claims: Map<string, KeyClaim>;
  now: number;
}

/** Inserts everything in one transaction, which is synced once. Resolves with the number of operations. */
function insertAll(
  store: Store,
  { accounts, operations, files, keys, claims, now }: RecoveredContent,
): Promise<number> {
  return store.transaction().execute(async (transaction) => {
    await transaction.updateTable('account_serial').set({ serial: accounts.serial }).execute();
    // Rows of a damaged table can contradict each other: the first one is kept.
    for (const user of accounts.users) {
      await transaction
        .insertInto('user')
        .values(user)
        .onConflict((on) => on.doNothing())
        .execute();
    }
    for (const client of accounts.clients) {
      await transaction
        .insertInto('client')
        .values(client)
        .onConflict((on) => on.doNothing())
        .execute();
    }
    let count = 0;
    for (const operation of operations) {
      const { numInsertedOrUpdatedRows } = await transaction
        .insertInto('operation')
        .values(operation)
        .onConflict((on) => on.doNothing())
        .executeTakeFirst();
      count += Number(numInsertedOrUpdatedRows);
    }
    for (const file of files.values()) await transaction.insertInto('file').values(file).execute();
    for (const key of keys) {
      await transaction
        .insertInto('idempotency_key')
        .values({ ...key, created_at: now })
        .onConflict((on) => on.doNothing())
        .execute();
    }
    for (const [id, claim] of claims) await claimKey(transaction, claim, id);
    return count;
  });
}

/**
 * Builds a database at `buildFile`, and copies it to `target`, which no connection has open and which has no write-ahead
 * log. `target` survives a power loss once this resolves. Resolves with the number of operations.
 */
export async function buildDatabase(buildFile: string, target: string, content: RecoveredContent): Promise<number> {
  const store = await openStore(buildFile);
  try {
    await createIdentity(store).replace(content.identity);
    await createRetentionTimes(store).replace({ time: content.now, saved_at: content.now });
    const count = await insertAll(store, content);
    await vacuumInto(store, target);
    await syncToDisk(target);
    return count;
  } finally {
    await store.destroy();
  }
}
