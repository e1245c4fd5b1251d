import { sql, type Transaction } from 'kysely';
import { cancelAll } from './cancellations.js';
import type { Store } from './database.js';
import { dialectOf } from './dialect.js';
import { createJobQueue, type JobQueue } from './job-queue.js';
import type { ClientRow, Schema, UserRow } from './schema.js';

/** All users and clients, and the number of changes to them so far. */
export interface AccountSnapshot {
  storeId: string;
  serial: number;
  users: UserRow[];
  clients: ClientRow[];
}

/** A user to add. Default: no quota of their own. */
export type NewUser = Omit<UserRow, 'quota_bytes'> & Partial<Pick<UserRow, 'quota_bytes'>>;

async function readSnapshot(store: Store): Promise<AccountSnapshot> {
  const { store_id } = await store.selectFrom('identity').select('store_id').executeTakeFirstOrThrow();
  const { serial } = await store.selectFrom('account_serial').select('serial').executeTakeFirstOrThrow();
  const users = await store.selectFrom('user').selectAll().orderBy('username').execute();
  const clients = await store.selectFrom('client').selectAll().orderBy('id').execute();
  return { storeId: store_id, serial, users, clients };
}

/** Locks the serial. */
const UNCHANGED = { serial: sql<number>`serial` };

// A request to a bucket that does not answer is given up after some 4 minutes.
const HOLD_TIMEOUT_MS = 5 * 60 * 1000;

/**
 * Passes all users and clients to `use`. Nobody can change them until it has resolved: every change of them changes the
 * serial, whose row a change that has no effect locks. In SQLite it locks the database, and is never written. `use` may
 * take 5 minutes, without a statement.
 */
export function holdAccounts(store: Store, use: (snapshot: AccountSnapshot) => Promise<void>): Promise<void> {
  return store.connection().execute(async (connection) => {
    await sql`begin`.execute(connection);
    try {
      if (dialectOf(connection).isConcurrent)
        await sql`set local idle_in_transaction_session_timeout = ${sql.lit(HOLD_TIMEOUT_MS)}`.execute(connection);
      await connection.updateTable('account_serial').set(UNCHANGED).execute();
      await use(await readSnapshot(connection));
    } finally {
      await sql`rollback`.execute(connection);
    }
  });
}

/**
 * Creates the queries for users and clients. Removing a user or client, or changing a password, deletes their tokens in
 * the same transaction. `onChanged` is called after each committed change and before it is reported. `now`: the time in ms
 * since 1970.
 */
export function createAccounts(
  store: Store,
  onChanged: () => Promise<void> = () => Promise.resolve(),
  queue: Pick<JobQueue, 'cancel'> = createJobQueue(store),
  now: () => number = Date.now,
) {
  /** Runs changes in a transaction that counts them. `work` resolves with their number, or whether there is one. */
  const change = async (work: (transaction: Transaction<Schema>) => Promise<boolean | number>): Promise<boolean> => {
    const isChanged = await store.transaction().execute(async (transaction) => {
      // First: a writer of a copy holds it for long. Operations that `work` cancels would wait meanwhile, with their jobs.
      if (dialectOf(transaction).isConcurrent) await transaction.updateTable('account_serial').set(UNCHANGED).execute();
      const count = Number(await work(transaction));
      if (count === 0) return false;
      await transaction
        .updateTable('account_serial')
        .set({ serial: sql`serial + ${count}` })
        .execute();
      return true;
    });
    if (isChanged) await onChanged();
    return isChanged;
  };

  return {
    findUser: (username: string): Promise<UserRow | undefined> =>
      store.selectFrom('user').selectAll().where('username', '=', username).executeTakeFirst(),

    findClient: (id: string): Promise<ClientRow | undefined> =>
      store.selectFrom('client').selectAll().where('id', '=', id).executeTakeFirst(),

    listUsers: (): Promise<UserRow[]> => store.selectFrom('user').selectAll().orderBy('username').execute(),

    listClients: (): Promise<ClientRow[]> => store.selectFrom('client').selectAll().orderBy('id').execute(),

    addUser: async (user: NewUser): Promise<void> => {
      await change(async (transaction) => {
        await transaction
          .insertInto('user')
          .values({ quota_bytes: null, ...user })
          .execute();
        return true;
      });
    },

    addClient: async (client: ClientRow): Promise<void> => {
      await change(async (transaction) => {
        await transaction.insertInto('client').values(client).execute();
        return true;
      });
    },

    /**
     * Adds a client, and a user who manages the service in its page. Those that an earlier call has added stay: their copy
     * is made again, which may be what failed.
     */
    addOwner: async (client: ClientRow, user: NewUser): Promise<void> => {
      await change(async (transaction) => {
        const newUser = { quota_bytes: null, ...user };
        const owner = { user_id: user.id };
        for (const insert of [
          transaction.insertInto('client').values(client),
          transaction.insertInto('user').values(newUser),
          transaction.insertInto('owner').values(owner),
        ])
          await insert.onConflict((conflict) => conflict.doNothing()).execute();
        return 2; // the user and the client
      });
    },

    /**
     * Resolves with whether the user existed. Their unfinished operations are cancelled. Their files stay until they
     * expire, and nobody can access them.
     */
    removeUser: (username: string): Promise<boolean> =>
      change(async (transaction) => {
        const user = await transaction
          .deleteFrom('user')
          .where('username', '=', username)
          .returning('id')
          .executeTakeFirst();
        if (!user) return false;
        await transaction.deleteFrom('token').where('user_id', '=', user.id).execute();
        await transaction.deleteFrom('owner').where('user_id', '=', user.id).execute();
        // Only a service has the retention clock. This is its last saved time, at most a few minutes ago. That of many
        // machines is the time itself.
        const clock = await transaction.selectFrom('retention_time').select('time').executeTakeFirst();
        const time = { now: now(), retainedFrom: clock?.time ?? now() };
        await cancelAll(transaction, user.id, { owner: user.id }, time, queue);
        return true;
      }),

    /** Resolves with whether the user exists. */
    setPassword: (username: string, passwordHash: string): Promise<boolean> =>
      change(async (transaction) => {
        const user = await transaction
          .updateTable('user')
          .set({ password_hash: passwordHash })
          .where('username', '=', username)
          .returning('id')
          .executeTakeFirst();
        if (user) await transaction.deleteFrom('token').where('user_id', '=', user.id).execute();
        return user !== undefined;
      }),

    /** Returns the ids of the users who manage the service in its page. */
    listOwners: async (): Promise<string[]> => {
      const rows = await store.selectFrom('owner').select('user_id').orderBy('user_id').execute();
      return rows.map((row) => row.user_id);
    },

    /**
     * Sets whether a user manages the service in its page. Resolves with whether the user exists. Not copied with the users
     * and clients: after a recovery, it has to be set again.
     */
    setOwner: (username: string, isOwner: boolean): Promise<boolean> =>
      store.transaction().execute(async (transaction) => {
        const user = await transaction
          .selectFrom('user')
          .select('id')
          .where('username', '=', username)
          .executeTakeFirst();
        if (!user) return false;
        const marks = transaction.selectFrom('owner').selectAll().where('user_id', '=', user.id);
        const isMarked = (await marks.executeTakeFirst()) !== undefined;
        const mark = transaction.insertInto('owner').values({ user_id: user.id });
        if (isOwner && !isMarked) await mark.onConflict((conflict) => conflict.doNothing()).execute();
        if (!isOwner && isMarked) await transaction.deleteFrom('owner').where('user_id', '=', user.id).execute();
        return true;
      }),

    /** Sets the quota of a user; null: the default of the service. Resolves with whether the user exists. */
    setQuota: (username: string, quotaBytes: number | null): Promise<boolean> =>
      change(async (transaction) => {
        const user = await transaction
          .updateTable('user')
          .set({ quota_bytes: quotaBytes })
          .where('username', '=', username)
          .returning('id')
          .executeTakeFirst();
        return user !== undefined;
      }),

    /** Resolves with whether the client existed. */
    removeClient: (id: string): Promise<boolean> =>
      change(async (transaction) => {
        const client = await transaction.deleteFrom('client').where('id', '=', id).returning('id').executeTakeFirst();
        if (client) await transaction.deleteFrom('token').where('client_id', '=', id).execute();
        return client !== undefined;
      }),
  };
}

export type Accounts = ReturnType<typeof createAccounts>;
