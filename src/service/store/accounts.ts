import type { Store } from './database.js';
import type { ClientRow, UserRow } from './schema.js';

/**
 * Creates the queries for users and clients. Removing a user or client, or changing a password, deletes their tokens in
 * the same transaction.
 */
export function createAccounts(store: Store) {
  return {
    findUser: (username: string): Promise<UserRow | undefined> =>
      store.selectFrom('user').selectAll().where('username', '=', username).executeTakeFirst(),

    findClient: (id: string): Promise<ClientRow | undefined> =>
      store.selectFrom('client').selectAll().where('id', '=', id).executeTakeFirst(),

    listUsers: (): Promise<UserRow[]> => store.selectFrom('user').selectAll().orderBy('username').execute(),

    listClients: (): Promise<ClientRow[]> => store.selectFrom('client').selectAll().orderBy('id').execute(),

    addUser: async (user: UserRow): Promise<void> => {
      await store.insertInto('user').values(user).execute();
    },

    addClient: async (client: ClientRow): Promise<void> => {
      await store.insertInto('client').values(client).execute();
    },

    /** Resolves with whether the user existed. Their files stay until they expire, and nobody can access them. */
    removeUser: (username: string): Promise<boolean> =>
      store.transaction().execute(async (transaction) => {
        const user = await transaction
          .deleteFrom('user')
          .where('username', '=', username)
          .returning('id')
          .executeTakeFirst();
        if (user) await transaction.deleteFrom('token').where('user_id', '=', user.id).execute();
        return user !== undefined;
      }),

    /** Resolves with whether the user exists. */
    setPassword: (username: string, passwordHash: string): Promise<boolean> =>
      store.transaction().execute(async (transaction) => {
        const user = await transaction
          .updateTable('user')
          .set({ password_hash: passwordHash })
          .where('username', '=', username)
          .returning('id')
          .executeTakeFirst();
        if (user) await transaction.deleteFrom('token').where('user_id', '=', user.id).execute();
        return user !== undefined;
      }),

    /** Resolves with whether the client existed. */
    removeClient: (id: string): Promise<boolean> =>
      store.transaction().execute(async (transaction) => {
        const client = await transaction.deleteFrom('client').where('id', '=', id).returning('id').executeTakeFirst();
        if (client) await transaction.deleteFrom('token').where('client_id', '=', id).execute();
        return client !== undefined;
      }),
  };
}

export type Accounts = ReturnType<typeof createAccounts>;
