import type { ExpressionBuilder } from 'kysely';
import type { Store } from './database.js';
import { prepareFirst } from './prepare-query.js';
import type { Schema, TokenRow } from './schema.js';

/**
 * The result of redeeming a refresh token: it was valid and is used now, it had already been used, or it is unknown.
 */
export type Redemption = { outcome: 'used'; token: TokenRow } | { outcome: 'reused' } | { outcome: 'unknown' };

/** Returns the condition that a token is a valid access token with this hash. */
export function isAccessToken(query: ExpressionBuilder<Schema, 'token'>, hash: string, now: number) {
  return query.and([
    query('token.hash', '=', hash),
    query('token.kind', '=', 'access'),
    query('token.expires_at', '>', now),
    query('token.revoked_at', 'is', null),
  ]);
}

const findBearer = prepareFirst((executor, hash: string, now: number) =>
  executor
    .selectFrom('token')
    .select('user_id')
    .where((query) => isAccessToken(query, hash, now))
    .limit(1),
);

/** Creates the queries for tokens, which are stored by their hashes. */
export function createTokens(store: Store) {
  return {
    add: async (tokens: TokenRow[]): Promise<void> => {
      await store.insertInto('token').values(tokens).execute();
    },

    /** Finds the user of an access token. Resolves with `undefined` if the token is unknown, expired or revoked. */
    findBearer: (hash: string, now: number) => findBearer(store, hash, now),

    /**
     * Redeems a refresh token of this client, by one conditional update, so that only one of two concurrent requests
     * succeeds. A token that is used twice was stolen, or its reply was lost: its whole family is revoked (RFC 9700,
     * section 4.14.2; RFC 6819, section 5.2.2.3). `createSuccessors` returns the tokens that replace it: they are added in
     * the same transaction, so that a revocation at the same time includes them.
     */
    redeem: (
      hash: string,
      clientId: string,
      now: number,
      createSuccessors: (token: TokenRow) => TokenRow[],
    ): Promise<Redemption> =>
      store.transaction().execute(async (transaction) => {
        const token = await transaction
          .updateTable('token')
          .set({ used_at: now })
          .where('hash', '=', hash)
          .where('kind', '=', 'refresh')
          .where('client_id', '=', clientId)
          .where('used_at', 'is', null)
          .where('revoked_at', 'is', null)
          .where('expires_at', '>', now)
          .returningAll()
          .executeTakeFirst();
        if (token) {
          await transaction.insertInto('token').values(createSuccessors(token)).execute();
          return { outcome: 'used', token };
        }
        const reused = await transaction
          .selectFrom('token')
          .select('family')
          .where('hash', '=', hash)
          .where('kind', '=', 'refresh')
          .where('client_id', '=', clientId)
          .where('used_at', 'is not', null)
          .executeTakeFirst();
        if (!reused) return { outcome: 'unknown' };
        await transaction
          .updateTable('token')
          .set({ revoked_at: now })
          .where('family', '=', reused.family)
          .where('revoked_at', 'is', null)
          .execute();
        return { outcome: 'reused' };
      }),

    /**
     * Deletes a token of a client and all of its family (RFC 7009, section 2.1). Resolves with whether the client may do
     * so: false for a token of another client, true also for one that is unknown.
     */
    revoke: async (hash: string, clientId: string): Promise<boolean> => {
      const token = await store.selectFrom('token').selectAll().where('hash', '=', hash).executeTakeFirst();
      if (!token) return true;
      if (token.client_id !== clientId) return false;
      await store.deleteFrom('token').where('family', '=', token.family).execute();
      return true;
    },

    /** Expires all access tokens. Refresh tokens stay valid. */
    expireAccessTokens: async (now: number): Promise<void> => {
      await store.updateTable('token').set({ expires_at: now }).where('kind', '=', 'access').execute();
    },

    /** Deletes expired tokens. */
    removeExpired: async (now: number): Promise<void> => {
      await store.deleteFrom('token').where('expires_at', '<=', now).execute();
    },
  };
}

export type Tokens = ReturnType<typeof createTokens>;
