import type { ExpressionBuilder, Transaction } from 'kysely';
import type { Store } from './database.js';
import type { IdempotencyKeyRow, Schema } from './schema.js';

/** The route of uploads. That of a start is the name of its operation. */
export const UPLOAD_ROUTE = 'file';

/** Tells a request of a user apart from all others: its idempotency key, and the route that it was sent to. */
export type RequestKey = Pick<IdempotencyKeyRow, 'owner' | 'route' | 'key'>;

/** The key of a request that creates a file or an operation. */
export interface KeyClaim extends Omit<IdempotencyKeyRow, 'resource_id'> {
  /** Keys from before this time of the retention clock are forgotten. */
  expiredBefore: number;
}

/**
 * Returns whether the resource of a key still exists. It is looked up, so that every way of deleting a file frees its
 * key. The owner is compared as well: a damaged row of a key leads to no resource of another user.
 */
function hasResource(query: ExpressionBuilder<Schema, 'idempotency_key'>) {
  const file = query
    .selectFrom('file')
    .select('file.id')
    .whereRef('file.id', '=', 'idempotency_key.resource_id')
    .whereRef('file.owner', '=', 'idempotency_key.owner')
    .where('file.deleted_at', 'is', null)
    .where('file.damaged_at', 'is', null);
  const operation = query
    .selectFrom('operation')
    .select('operation.id')
    .whereRef('operation.id', '=', 'idempotency_key.resource_id')
    .whereRef('operation.owner', '=', 'idempotency_key.owner');
  return query.or([query.exists(file), query.exists(operation)]);
}

/** Creates the queries for idempotency keys. */
export function createIdempotencyKeys(store: Store) {
  return {
    /** Finds a key that is not older than `expiredBefore` and whose file or operation still exists. */
    find: ({ owner, route, key }: RequestKey, expiredBefore: number): Promise<IdempotencyKeyRow | undefined> =>
      store
        .selectFrom('idempotency_key')
        .selectAll()
        .where('owner', '=', owner)
        .where('route', '=', route)
        .where('key', '=', key)
        .where('created_at', '>=', expiredBefore)
        .where(hasResource)
        .executeTakeFirst(),

    /** Deletes the keys from before `expiredBefore` on the retention clock. */
    purge: async (expiredBefore: number): Promise<void> => {
      await store.deleteFrom('idempotency_key').where('created_at', '<', expiredBefore).execute();
    },
  };
}

export type IdempotencyKeys = ReturnType<typeof createIdempotencyKeys>;

/**
 * Claims a key for the resource `resourceId`. Resolves with the row of an earlier request that has the key. Concurrent
 * transactions are correct on every database: the unique key decides which one is the first.
 */
export async function claimKey(
  transaction: Transaction<Schema>,
  { expiredBefore, ...row }: KeyClaim,
  resourceId: string,
): Promise<IdempotencyKeyRow | undefined> {
  await transaction
    .deleteFrom('idempotency_key')
    .where('owner', '=', row.owner)
    .where('route', '=', row.route)
    .where('key', '=', row.key)
    .where((query) => query.or([query('created_at', '<', expiredBefore), query.not(hasResource(query))]))
    .execute();
  const inserted = await transaction
    .insertInto('idempotency_key')
    .values({ ...row, resource_id: resourceId })
    .onConflict((on) => on.doNothing())
    .returning('key')
    .executeTakeFirst();
  if (inserted) return undefined;
  return transaction
    .selectFrom('idempotency_key')
    .selectAll()
    .where('owner', '=', row.owner)
    .where('route', '=', row.route)
    .where('key', '=', row.key)
    .executeTakeFirstOrThrow();
}

/**
 * Runs `insert`, which adds the row of the resource `resourceId` in this transaction, with the claim of its key. Resolves
 * with the row of an earlier request that has the key: `insert` does not run then. Without a claim it only runs `insert`.
 */
export async function insertWithKey(
  transaction: Transaction<Schema>,
  claim: KeyClaim | undefined,
  resourceId: string,
  insert: () => Promise<unknown>,
): Promise<IdempotencyKeyRow | undefined> {
  const earlier = claim && (await claimKey(transaction, claim, resourceId));
  if (!earlier) await insert();
  return earlier;
}
