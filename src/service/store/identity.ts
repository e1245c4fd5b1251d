import type { Store } from './database.js';
import { writeDatabaseHeader } from './database-header.js';
import type { IdentityRow } from './schema.js';

/**
 * Returns the first 32 bits of a store id. They are also in the header of the database (`application_id`), where they
 * can be read without SQLite.
 */
export function storeTagOf(storeId: string): number {
  return Number.parseInt(storeId.slice(0, 8), 16) | 0;
}

/** Creates the queries for the identity of the store. */
export function createIdentity(store: Store) {
  return {
    find: (): Promise<IdentityRow> => store.selectFrom('identity').selectAll().executeTakeFirstOrThrow(),

    /** Replaces the identity, and its copy in the header of the database. */
    replace: (identity: IdentityRow): Promise<void> =>
      store.transaction().execute(async (transaction) => {
        await transaction.deleteFrom('identity').execute();
        await transaction.insertInto('identity').values(identity).execute();
        const { store_id, generation } = identity;
        await writeDatabaseHeader(transaction, { storeTag: storeTagOf(store_id), generation });
      }),
  };
}
