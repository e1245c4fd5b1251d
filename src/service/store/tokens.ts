import type { Store } from './database.js';
import { prepareFirst } from './prepare-query.js';
import type { TokenRow } from './schema.js';

/** What became of a refresh token that was shown: it was good and is used now, it had been used before, or it is not one. */
export type Redemption = { outcome: 'used'; token: TokenRow } | { outcome: 'reused' } | { outcome: 'unknown' };

/** Tokens by their hashes. */
export function createTokens(store: Store) {
  return {
    add: async (tokens: TokenRow[]): Promise<void> => {
      await store.insertInto('token').values(tokens).execute();
    },

    /** The user whom an access token speaks for, or `undefined` for one that is not good (any more). */
    findBearer: prepareFirst(store, (hash: string, now: number) =>
      store
        .selectFrom('token')
        .select('user_id')
        .where('hash', '=', hash)
        .where('kind', '=', 'access')
        .where('expires_at', '>', now)
        .where('revoked_at', 'is', null)
        .limit(1),
    ),

    /**
     * Uses a refresh token of this client: one conditional update decides between two that come at once. A token that was used before was
     * stolen or its reply was lost: its whole family is revoked (RFC 9700, section 4.14.2).
     */
    redeem: (hash: string, clientId: string, now: number): Promise<Redemption> =>
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
        if (token) return { outcome: 'used', token };
        const known = await transaction
          .selectFrom('token')
          .select('family')
          .where('hash', '=', hash)
          .where('kind', '=', 'refresh')
          .where('client_id', '=', clientId)
          .where('used_at', 'is not', null)
          .executeTakeFirst();
        if (!known) return { outcome: 'unknown' };
        await transaction
          .updateTable('token')
          .set({ revoked_at: now })
          .where('family', '=', known.family)
          .where('revoked_at', 'is', null)
          .execute();
        return { outcome: 'reused' };
      }),

    /** Ends all access tokens; their refresh tokens stay good. */
    expireAccessTokens: async (now: number): Promise<void> => {
      await store.updateTable('token').set({ expires_at: now }).where('kind', '=', 'access').execute();
    },

    /** Forgets what no longer opens anything. */
    removeExpired: async (now: number): Promise<void> => {
      await store.deleteFrom('token').where('expires_at', '<=', now).execute();
    },
  };
}

export type Tokens = ReturnType<typeof createTokens>;
