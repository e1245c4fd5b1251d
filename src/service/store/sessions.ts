import type { Store } from './database.js';
import type { SessionRow } from './sign-in-rows.js';

/** The user of a valid session. */
export interface SessionUser {
  userId: string;
  username: string;
  isOwner: boolean;
  expiresAt: number;
  /** When the session ends, however often it is used. */
  endsAt: number;
}

/**
 * Creates the queries for sessions of the page, one-time codes and devices, which are stored by their hashes. Each is
 * valid only while its user has the password with which it began, so none outlives a change of the password that
 * happens at the same time.
 */
export function createSessions(store: Store) {
  const selectValid = (hash: string, kind: SessionRow['kind'], now: number) =>
    store
      .selectFrom('session')
      .innerJoin('user', (join) =>
        join.onRef('user.id', '=', 'session.user_id').onRef('user.password_hash', '=', 'session.password_hash'),
      )
      .where('session.hash', '=', hash)
      .where('session.kind', '=', kind)
      .where('session.expires_at', '>', now);

  return {
    /** Adds a session, a code or a device, and deletes those that have expired before `now`. */
    add: async (session: SessionRow, now: number): Promise<void> => {
      await store.deleteFrom('session').where('expires_at', '<=', now).execute();
      await store.insertInto('session').values(session).execute();
    },

    /** Finds the user of a session. Resolves with `undefined` if it is unknown or has ended. */
    find: async (hash: string, now: number): Promise<SessionUser | undefined> => {
      const row = await selectValid(hash, 'session', now)
        .leftJoin('owner', 'owner.user_id', 'user.id')
        .select(['user.id', 'user.username', 'owner.user_id as ownerId', 'session.expires_at', 'session.ends_at'])
        .executeTakeFirst();
      return (
        row && {
          userId: row.id,
          username: row.username,
          isOwner: row.ownerId !== null,
          expiresAt: Number(row.expires_at),
          endsAt: Number(row.ends_at ?? row.expires_at),
        }
      );
    },

    /** Returns whether a user of this name has signed in on a device before. */
    isDeviceOf: async (hash: string, username: string, now: number): Promise<boolean> => {
      const row = await selectValid(hash, 'device', now)
        .select('session.hash')
        .where('user.username', '=', username)
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Deletes all devices of a user but those that expire last. */
    limitDevices: async (userId: string, count: number): Promise<void> => {
      const ofUser = store.selectFrom('session').where('user_id', '=', userId).where('kind', '=', 'device');
      const kept = ofUser.select('hash').orderBy('expires_at', 'desc').limit(count);
      await store
        .deleteFrom('session')
        .where('user_id', '=', userId)
        .where('kind', '=', 'device')
        .where('hash', 'not in', kept)
        .execute();
    },

    renew: async (hash: string, expiresAt: number): Promise<void> => {
      await store.updateTable('session').set({ expires_at: expiresAt }).where('hash', '=', hash).execute();
    },

    remove: async (hash: string): Promise<void> => {
      await store.deleteFrom('session').where('hash', '=', hash).execute();
    },

    /** Deletes all sessions, codes, devices and tokens of a user. */
    removeAllOf: (userId: string): Promise<void> =>
      store.transaction().execute(async (transaction) => {
        await transaction.deleteFrom('session').where('user_id', '=', userId).execute();
        await transaction.deleteFrom('token').where('user_id', '=', userId).execute();
      }),

    /**
     * Replaces a one-time code by a session. Resolves with whether it did: false if the code is unknown, expired or was
     * used. Of two concurrent requests, one gets the session.
     */
    redeemCode: (
      codeHash: string,
      session: Pick<SessionRow, 'hash' | 'kind' | 'expires_at' | 'ends_at'>,
      now: number,
    ): Promise<boolean> =>
      store.transaction().execute(async (transaction) => {
        const code = await transaction
          .deleteFrom('session')
          .where('hash', '=', codeHash)
          .where('kind', '=', 'code')
          .where('expires_at', '>', now)
          .returning(['user_id', 'password_hash'])
          .executeTakeFirst();
        if (!code) return false;
        await transaction
          .insertInto('session')
          .values({ ...code, ...session })
          .execute();
        return true;
      }),
  };
}

export type Sessions = ReturnType<typeof createSessions>;
