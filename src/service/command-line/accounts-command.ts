import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { hashPassword } from '../auth/passwords.js';
import { createSecret, hashSecret } from '../auth/secrets.js';
import { writeAccountsFile } from '../data-folder/accounts-file.js';
import { accountsPath } from '../data-folder/data-folder.js';
import { openSharedStore } from '../data-folder/open-data-store.js';
import { StartError } from '../start-error.js';
import { type Accounts, createAccounts } from '../store/accounts.js';
import type { Store } from '../store/database.js';
import { defaultDataFolder } from './default-data-folder.js';
import { type OptionTable, parseOptions } from './parse-options.js';
import { type PasswordStreams, readPassword } from './read-password.js';
import { writeText } from './write-text.js';

const OPTIONS: OptionTable = { data: { type: 'string', isPath: true } };

/** Runs a subcommand on the account `name`; resolves with the lines to print. */
type Subcommand = (accounts: Accounts, name: string, streams: PasswordStreams) => Promise<string[]>;

function unknownAccount(command: string, name: string): StartError {
  return new StartError('ACCOUNT_UNKNOWN', `No ${command} "${name}" in this data folder.`);
}

function formatLine(name: string, createdAt: number): string {
  return `${name}\t${new Date(createdAt).toISOString()}`;
}

const USER_SUBCOMMANDS: Record<string, Subcommand> = {
  async add(accounts, username, streams) {
    if (await accounts.findUser(username)) {
      throw new StartError(
        'ACCOUNT_EXISTS',
        `User "${username}" already exists. To change the password, use: user password`,
      );
    }
    const password_hash = await hashPassword(await readPassword(streams));
    await accounts.addUser({ id: randomUUID(), username, password_hash, created_at: Date.now() });
    return [];
  },
  async password(accounts, username, streams) {
    if (!(await accounts.findUser(username))) throw unknownAccount('user', username);
    const hash = await hashPassword(await readPassword(streams));
    if (!(await accounts.setPassword(username, hash))) throw unknownAccount('user', username);
    return [];
  },
  async remove(accounts, username) {
    if (!(await accounts.removeUser(username))) throw unknownAccount('user', username);
    return [];
  },
  async list(accounts) {
    return (await accounts.listUsers()).map(({ username, created_at }) => formatLine(username, created_at));
  },
};

const CLIENT_SUBCOMMANDS: Record<string, Subcommand> = {
  async add(accounts, clientId) {
    if (await accounts.findClient(clientId)) {
      throw new StartError(
        'ACCOUNT_EXISTS',
        `Client "${clientId}" already exists. To change its secret, remove it and add it again.`,
      );
    }
    const clientSecret = createSecret();
    await accounts.addClient({ id: clientId, secret_hash: hashSecret(clientSecret), created_at: Date.now() });
    return [JSON.stringify({ clientId, clientSecret })];
  },
  async remove(accounts, clientId) {
    if (!(await accounts.removeClient(clientId))) throw unknownAccount('client', clientId);
    return [];
  },
  async list(accounts) {
    return (await accounts.listClients()).map(({ id, created_at }) => formatLine(id, created_at));
  },
};

// A colon ends the client id in a Basic header; control characters cannot be entered in a form.
function isValidName(name: string): boolean {
  return /^[^\p{Cc}:]{1,200}$/u.test(name);
}

/**
 * Parses the arguments of `user` or `client`. Throws `USAGE`. A password is never an argument: other users could read
 * it in the process list.
 */
function parseSubcommand(command: string, subcommands: Record<string, Subcommand>, args: readonly string[]) {
  const options = parseOptions(args, OPTIONS, process.env);
  const [subcommandName = '', name = '', ...more] = options.positionals;
  const subcommand = Object.hasOwn(subcommands, subcommandName) ? subcommands[subcommandName] : undefined;
  if (!subcommand) {
    const expected = `expected one of ${Object.keys(subcommands).join(', ')}`;
    throw new StartError('USAGE', `Invalid subcommand "${subcommandName}" of ${command}: ${expected}.`);
  }
  const takesName = subcommandName !== 'list';
  if (takesName ? !isValidName(name) : name !== '') {
    const expected = takesName ? 'one name of 1 to 200 characters without a colon' : 'no name';
    throw new StartError('USAGE', `Invalid arguments of ${command} ${subcommandName}: expected ${expected}.`);
  }
  if (more.length > 0) {
    throw new StartError('USAGE', `Too many arguments for ${command} ${subcommandName}: expected one name.`);
  }
  return { subcommand, name, folder: path.resolve(options.stringValues.get('data') ?? defaultDataFolder()) };
}

/** Copies the changed accounts into the data folder. Throws if that fails, although the change was made. */
async function copyAccounts(folder: string, store: Store): Promise<void> {
  const file = accountsPath(folder);
  try {
    await writeAccountsFile(file, store);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const message = `The change was made, but could not be copied to ${file}: ${reason}. Start the service again to copy it.`;
    throw new Error(message, { cause });
  }
}

async function runSubcommand(
  command: string,
  subcommands: Record<string, Subcommand>,
  args: readonly string[],
): Promise<number> {
  const { subcommand, name, folder } = parseSubcommand(command, subcommands, args);
  const store = await openSharedStore(folder); // also while the service runs: SQLite serializes writes
  try {
    const streams = { input: process.stdin, output: process.stderr };
    const accounts = createAccounts(store, () => copyAccounts(folder, store));
    const lines = await subcommand(accounts, name, streams);
    for (const line of lines) await writeText(process.stdout, `${line}\n`);
    return 0;
  } finally {
    await store.destroy();
  }
}

/** Runs `model-processing user`. Resolves with the exit status; throws `StartError`. */
export function userCommand(args: readonly string[]): Promise<number> {
  return runSubcommand('user', USER_SUBCOMMANDS, args);
}

/** Runs `model-processing client`. Resolves with the exit status; throws `StartError`. */
export function clientCommand(args: readonly string[]): Promise<number> {
  return runSubcommand('client', CLIENT_SUBCOMMANDS, args);
}
