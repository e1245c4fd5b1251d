import type { Store } from './database.js';
import type { ClientRow, UserRow } from './schema.js';

/** Users and clients. Whoever is removed, or gets another password, loses all tokens with it, in one transaction. */
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

    /** Answers whether there was such a user. What he uploaded stays until it expires, and opens to nobody. */
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

    /** Answers whether there is such a user. */
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

    /** Answers whether there was such a client. */
    removeClient: (id: string): Promise<boolean> =>
      store.transaction().execute(async (transaction) => {
        const client = await transaction.deleteFrom('client').where('id', '=', id).returning('id').executeTakeFirst();
        if (client) await transaction.deleteFrom('token').where('client_id', '=', id).execute();
        return client !== undefined;
      }),
  };
}

export type Accounts = ReturnType<typeof createAccounts>;
