import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { hashPassword } from '../auth/passwords.js';
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
  clientId: string;
  clientSecret: string;
  username: string;
  password: string;
}

type Account = Omit<Credentials, 'baseUrl' | 'instanceId'>;

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

function generateAccount(): Account {
  return {
    clientId: `local-${randomUUID()}`,
    clientSecret: createSecret(),
    username: `local-${randomUUID()}`,
    password: createSecret(),
  };
}

/** Adds what the store lacks of an account. */
async function addAccount(accounts: Accounts, account: Account, now: number): Promise<void> {
  if (!(await accounts.findClient(account.clientId))) {
    await accounts.addClient({ id: account.clientId, secret_hash: hashSecret(account.clientSecret), created_at: now });
  }
  if (await accounts.findUser(account.username)) return;
  await accounts.addUser({
    id: randomUUID(),
    username: account.username,
    password_hash: await hashPassword(account.password),
    created_at: now,
  });
}

/**
 * Returns a function that writes `credentials.json` for this start. It keeps the account of the file if the store still
 * has it; otherwise it adds a new client and a new user with random secrets, the same in each call. So it can be called
 * again after a full disk.
 */
export function createCredentialsWriter(
  file: string,
  accounts: Accounts,
  current: { baseUrl: string; instanceId: string; now: number },
): () => Promise<Credentials> {
  const newAccount = generateAccount();
  return async () => {
    const saved = await readAccount(file);
    const isValid =
      saved !== undefined && (await accounts.findClient(saved.clientId)) && (await accounts.findUser(saved.username));
    const account = saved && isValid ? saved : newAccount;
    if (account === newAccount) await addAccount(accounts, account, current.now);
    await accounts.setOwner(account.username, true);
    const credentials = { baseUrl: current.baseUrl, instanceId: current.instanceId, ...account };
    await writeAtomically(file, `${JSON.stringify(credentials, null, 2)}\n`);
    return credentials;
  };
}
