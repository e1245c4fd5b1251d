import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { hashPassword, type PasswordCost } from '../auth/passwords.js';
import { createSecret, hashSecret } from '../auth/secrets.js';
import type { Accounts } from '../store/accounts.js';
import { writeAtomically } from './write-atomically.js';

/**
 * The content of `credentials.json`: the current address of the service, and the account that it created for its owner.
 */
export interface Credentials {
  baseUrl: string;
  /** New on each start. Distinguishes this service from another one at the same address. */
  instanceId: string;
  /** With it, the service proves at `/healthz` that it is the one that wrote this file. New on each start. */
  identityKey: string;
  clientId: string;
  clientSecret: string;
  username: string;
  password: string;
}

type Account = Omit<Credentials, 'baseUrl' | 'instanceId' | 'identityKey'>;

async function readAccount(file: string): Promise<Account | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined); // not created yet
  if (text === undefined) return undefined;
  try {
    const saved: Partial<Record<string, unknown>> = Object(JSON.parse(text));
    const { clientId, clientSecret, username, password } = saved;
    if (typeof clientId !== 'string' || typeof clientSecret !== 'string') return undefined;
    if (typeof username !== 'string' || typeof password !== 'string') return undefined;
    return { clientId, clientSecret, username, password };
  } catch {
    return undefined; // edited by hand: the caller creates a new account
  }
}

/** An account with random secrets that is not in the store yet. */
export interface NewAccount extends Account {
  userId: string;
  /** Resolves with the hash of the password. Computes it on the first call, by default in some 0.2 s of another thread. */
  hashPassword: () => Promise<string>;
}

/** Creates the account of `createCredentialsWriter`. `cost`: of its password. Default: that of `hashPassword`. */
export function createNewAccount(cost?: PasswordCost): NewAccount {
  const password = createSecret();
  let hash: Promise<string> | undefined;
  return {
    clientId: `local-${randomUUID()}`,
    clientSecret: createSecret(),
    username: `local-${randomUUID()}`,
    password,
    userId: randomUUID(),
    hashPassword: () => {
      hash ??= hashPassword(password, cost);
      return hash;
    },
  };
}

async function addAccount(accounts: Accounts, account: NewAccount, now: number): Promise<void> {
  const { clientId, clientSecret, userId, username } = account;
  await accounts.addOwner(
    { id: clientId, secret_hash: hashSecret(clientSecret), created_at: now },
    { id: userId, username, password_hash: await account.hashPassword(), created_at: now },
  );
}

/**
 * Returns a function that writes `credentials.json` for this start. It keeps the account of the file if the store still
 * has it; otherwise it adds `newAccount`, the same in each call. So it can be called again after a full disk.
 */
export function createCredentialsWriter(
  file: string,
  accounts: Accounts,
  current: Pick<Credentials, 'baseUrl' | 'instanceId' | 'identityKey'> & { now: number },
  newAccount: NewAccount = createNewAccount(),
): () => Promise<Credentials> {
  return async () => {
    const saved = await readAccount(file);
    const isValid =
      saved !== undefined && (await accounts.findClient(saved.clientId)) && (await accounts.findUser(saved.username));
    if (isValid) await accounts.setOwner(saved.username, true);
    else await addAccount(accounts, newAccount, current.now);
    const { clientId, clientSecret, username, password } = isValid ? saved : newAccount;
    const { baseUrl, instanceId, identityKey } = current;
    const credentials = { baseUrl, instanceId, identityKey, clientId, clientSecret, username, password };
    await writeAtomically(file, `${JSON.stringify(credentials, null, 2)}\n`);
    return credentials;
  };
}
