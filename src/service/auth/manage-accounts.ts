import { randomUUID } from 'node:crypto';
import type { Accounts } from '../store/accounts.js';
import { hashPassword, type PasswordCost } from './passwords.js';
import { createSecret, hashSecret } from './secrets.js';

/** A user to add, with a password that is still to be hashed. */
export interface UserRequest {
  username: string;
  password: string;
  /** Null: the default of the service. */
  quotaBytes: number | null;
}

/** Adds a user. Resolves with false if there is one with this name. */
export async function addUserAccount(
  accounts: Accounts,
  { username, password, quotaBytes }: UserRequest,
  cost?: PasswordCost,
): Promise<boolean> {
  if (await accounts.findUser(username)) return false;
  const password_hash = await hashPassword(password, cost);
  const user = { id: randomUUID(), username, password_hash, created_at: Date.now() };
  await accounts.addUser({ ...user, quota_bytes: quotaBytes });
  return true;
}

/** Gives a user a new password, which ends their tokens and sessions. Resolves with false if there is no such user. */
export async function changePassword(
  accounts: Accounts,
  username: string,
  password: string,
  cost?: PasswordCost,
): Promise<boolean> {
  if (!(await accounts.findUser(username))) return false;
  return accounts.setPassword(username, await hashPassword(password, cost));
}

/** Adds a client. Resolves with its secret, or with `undefined` if there is one with this id. */
export async function addClientAccount(accounts: Accounts, clientId: string): Promise<string | undefined> {
  if (await accounts.findClient(clientId)) return undefined;
  const secret = createSecret();
  await accounts.addClient({ id: clientId, secret_hash: hashSecret(secret), created_at: Date.now() });
  return secret;
}
