import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { hashPassword } from '../../../src/service/auth/passwords.js';
import { hashSecret } from '../../../src/service/auth/secrets.js';
import { createAccounts } from '../../../src/service/store/accounts.js';
import type { Store } from '../../../src/service/store/database.js';
import type { TokenRow } from '../../../src/service/store/schema.js';
import { openStore } from '../../../src/service/store/sqlite.js';
import { createTokens } from '../../../src/service/store/tokens.js';
import { type Calls, callsWith } from './account.js';
import { LOWEST_COST, readCredentials } from './running.js';

/** Runs `use` with a connection of its own to the database of a service, which may be running. */
export async function withStore<T>(folder: string, use: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(path.join(folder, 'service.db'));
  try {
    return await use(store);
  } finally {
    await store.destroy();
  }
}

/** Returns the access token of a user of `addUser`. */
export function tokenOf(username: string): string {
  return `the-token-of-${username}`;
}

/** Gives a user an access token without a password: checking one takes long on purpose. */
export async function addToken(folder: string, username: string, userId: string): Promise<void> {
  const token: TokenRow = {
    ...{ hash: hashSecret(tokenOf(username)), kind: 'access', family: userId, user_id: userId, client_id: 'test' },
    ...{ created_at: 1, expires_at: Number.MAX_SAFE_INTEGER, used_at: null, revoked_at: null },
  };
  await withStore(folder, (store) => createTokens(store).add([token]));
}

/** Adds a user with an access token to a running service. Resolves with the id. */
export async function addUser(folder: string, username: string): Promise<string> {
  const id = randomUUID();
  const user = { id, username, password_hash: 'none', created_at: 1, quota_bytes: null };
  await withStore(folder, (store) => createAccounts(store).addUser(user));
  await addToken(folder, username, id);
  return id;
}

/** Adds a user with a password to a data folder, which a service may be using. */
export async function addUserWithPassword(folder: string, username: string, password: string): Promise<void> {
  const password_hash = await hashPassword(password, LOWEST_COST);
  const user = { id: randomUUID(), username, password_hash, created_at: 0, quota_bytes: null };
  await withStore(folder, (store) => createAccounts(store).addUser(user));
}

/** Returns the functions that call the API of the running service as a user of `addUser`. */
export async function signIn(folder: string, username: string): Promise<Calls> {
  return callsWith((await readCredentials(folder)).baseUrl, tokenOf(username));
}

/** Adds a user to a running service. Returns the functions that call the API as this user. */
export async function addSignedInUser(folder: string, username: string): Promise<Calls> {
  await addUser(folder, username);
  return signIn(folder, username);
}
