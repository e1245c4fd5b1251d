import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { hashPassword } from '../../../src/service/auth/passwords.js';
import { hashSecret } from '../../../src/service/auth/secrets.js';
import type { ServeOptions } from '../../../src/service/serve.js';
import { createAccounts } from '../../../src/service/store/accounts.js';
import type { Store } from '../../../src/service/store/database.js';
import { openStore } from '../../../src/service/store/sqlite.js';
import { createFolder, removeFolder } from '../../service/support/data-folder.js';
import { isDatabaseMode, withDatabase } from '../../service/support/database-mode.js';
import { LOWEST_COST, startService } from '../../service/support/running.js';

/** The credentials of a client and a user. */
export interface WireAccount {
  clientId: string;
  clientSecret: string;
  username: string;
  password: string;
}

/** The service under test. */
export interface WireTarget {
  baseUrl: string;
  /** The addresses of its processes. A load balancer replies to what is not HTTP itself. */
  processUrls: string[];
  account: WireAccount;
  close(): Promise<void>;
}

/** The account in the recorded examples. */
export const EXAMPLE_ACCOUNT: WireAccount = {
  clientId: 'app',
  clientSecret: 's3cr3t',
  username: 'test@test.com',
  password: 'p@ss wörd',
};

async function addAccountTo(store: Store, account: WireAccount): Promise<void> {
  const accounts = createAccounts(store);
  await accounts.addClient({ id: account.clientId, secret_hash: hashSecret(account.clientSecret), created_at: 0 });
  const password_hash = await hashPassword(account.password, LOWEST_COST);
  await accounts.addUser({ id: randomUUID(), username: account.username, password_hash, created_at: 0 });
}

async function addAccount(folder: string, account: WireAccount): Promise<void> {
  if (isDatabaseMode) return withDatabase(folder, (store) => addAccountTo(store, account));
  const store = await openStore(path.join(folder, 'service.db'));
  await addAccountTo(store, account);
  await store.destroy();
}

/** Returns the service that the environment variables name, if any (docs/conformance.md). */
function readTargetFromEnvironment(): WireTarget | undefined {
  const {
    CONFORMANCE_URL: url,
    CONFORMANCE_CLIENT_ID: clientId,
    CONFORMANCE_CLIENT_SECRET: clientSecret,
  } = process.env;
  const { CONFORMANCE_USERNAME: username, CONFORMANCE_PASSWORD: password } = process.env;
  if (!url) return undefined;
  if (!clientId || !clientSecret || !username || !password) {
    throw new Error('CONFORMANCE_URL requires CONFORMANCE_CLIENT_ID, _CLIENT_SECRET, _USERNAME and _PASSWORD.');
  }
  const account = { clientId, clientSecret, username, password };
  const baseUrl = url.replace(/\/$/, '');
  return { baseUrl, processUrls: [baseUrl], account, close: async () => undefined };
}

/** Whether the suite tests its own service, and therefore also details that other services may decide differently. */
export const isOwn = readTargetFromEnvironment() === undefined;

/** Starts a service on a new folder, with the account of the examples. */
export async function startOwn(options: Partial<ServeOptions> = {}): Promise<WireTarget> {
  const folder = await createFolder();
  await addAccount(folder, EXAMPLE_ACCOUNT);
  const service = await startService(folder, options);
  const close = async (): Promise<void> => {
    await service.close();
    await removeFolder(folder);
  };
  const { baseUrl, processUrls } = service;
  return { baseUrl, processUrls, account: EXAMPLE_ACCOUNT, close };
}

/** Opens the service that the environment variables name, or starts one. */
export async function openTarget(): Promise<WireTarget> {
  return readTargetFromEnvironment() ?? startOwn();
}
