import type { Store } from './database.js';
import type { ClientRow, UserRow } from './schema.js';

/** Users and clients, and whom a bearer token speaks for. */
export const createAccounts = (store: Store) => ({
  findUser: (username: string): Promise<UserRow | undefined> =>
    store.selectFrom('user').selectAll().where('username', '=', username).executeTakeFirst(),

  findClient: (id: string): Promise<ClientRow | undefined> =>
    store.selectFrom('client').selectAll().where('id', '=', id).executeTakeFirst(),

  addUser: async (user: UserRow): Promise<void> => {
    await store.insertInto('user').values(user).execute();
  },

  addClient: async (client: ClientRow): Promise<void> => {
    await store.insertInto('client').values(client).execute();
  },
});

export type Accounts = ReturnType<typeof createAccounts>;
