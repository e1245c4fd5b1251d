import path from 'node:path';
import { isValidAccountName } from '../auth/account-rules.js';
import { addClientAccount, addUserAccount, changePassword } from '../auth/manage-accounts.js';
import { writeAccountsFile } from '../data-folder/accounts-file.js';
import { accountsPath } from '../data-folder/data-folder.js';
import { openSharedStore } from '../data-folder/open-data-store.js';
import { MIN_QUOTA_BYTES } from '../defaults.js';
import { createLogger } from '../logger.js';
import { StartError } from '../start-error.js';
import { type Accounts, createAccounts } from '../store/accounts.js';
import type { Store } from '../store/database.js';
import {
  BUCKET_OPTIONS,
  CONNECTION_OPTIONS,
  hideArguments,
  readBucket,
  readConnection,
  refuseWithoutDatabase,
} from './database-options.js';
import { defaultDataFolder } from './default-data-folder.js';
import { type OptionTable, type ParsedOptions, parseByteSize, parseOptions, readByteSize } from './parse-options.js';
import { type PasswordStreams, readPassword } from './read-password.js';
import { writeText } from './write-text.js';

const OPTIONS: OptionTable = { data: { type: 'string', isPath: true }, ...CONNECTION_OPTIONS, ...BUCKET_OPTIONS };
const USER_OPTIONS: OptionTable = { ...OPTIONS, quota: { type: 'string' } };

/** The arguments of a subcommand. */
interface SubcommandArguments {
  /** Empty for `list`. */
  name: string;
  /** Of a user. Null: the default of the service. */
  quotaBytes: number | null;
  /** Of `user owner`: whether the user is to be one. */
  isOwner: boolean;
}

/** What the subcommands expect that have an argument after the name. */
const VALUES: Readonly<Record<string, string>> = { quota: 'a size', owner: 'on or off' };

/** Runs a subcommand on an account; resolves with the lines to print. */
type Subcommand = (accounts: Accounts, args: SubcommandArguments, streams: PasswordStreams) => Promise<string[]>;

function unknownAccount(command: string, name: string): StartError {
  return new StartError('ACCOUNT_UNKNOWN', `No ${command} "${name}" in this service.`);
}

function formatLine(name: string, createdAt: number): string {
  return `${name}\t${new Date(createdAt).toISOString()}`;
}

const USER_SUBCOMMANDS: Record<string, Subcommand> = {
  async add(accounts, { name: username, quotaBytes }, streams) {
    if (await accounts.findUser(username)) {
      throw new StartError(
        'ACCOUNT_EXISTS',
        `User "${username}" already exists. To change the password, use: user password`,
      );
    }
    await addUserAccount(accounts, { username, password: await readPassword(streams), quotaBytes });
    return [];
  },
  async password(accounts, { name: username }, streams) {
    if (!(await accounts.findUser(username))) throw unknownAccount('user', username);
    if (!(await changePassword(accounts, username, await readPassword(streams))))
      throw unknownAccount('user', username);
    return [];
  },
  async quota(accounts, { name: username, quotaBytes }) {
    if (!(await accounts.setQuota(username, quotaBytes))) throw unknownAccount('user', username);
    return [];
  },
  async owner(accounts, { name: username, isOwner }) {
    if (!(await accounts.setOwner(username, isOwner))) throw unknownAccount('user', username);
    return [];
  },
  async remove(accounts, { name: username }) {
    if (!(await accounts.removeUser(username))) throw unknownAccount('user', username);
    return [];
  },
  async list(accounts) {
    const [users, owners] = [await accounts.listUsers(), await accounts.listOwners()];
    return users.map(({ id, username, created_at, quota_bytes }) => {
      const role = owners.includes(id) ? 'owner' : '-';
      return `${formatLine(username, created_at)}\t${quota_bytes ?? '-'}\t${role}`;
    });
  },
};

const CLIENT_SUBCOMMANDS: Record<string, Subcommand> = {
  async add(accounts, { name: clientId }) {
    const clientSecret = await addClientAccount(accounts, clientId);
    if (clientSecret === undefined) {
      throw new StartError(
        'ACCOUNT_EXISTS',
        `Client "${clientId}" already exists. To change its secret, remove it and add it again.`,
      );
    }
    return [JSON.stringify({ clientId, clientSecret })];
  },
  async remove(accounts, { name: clientId }) {
    if (!(await accounts.removeClient(clientId))) throw unknownAccount('client', clientId);
    return [];
  },
  async list(accounts) {
    return (await accounts.listClients()).map(({ id, created_at }) => formatLine(id, created_at));
  },
};

/**
 * Reads the quota: of `user quota` it is the argument after the name, of `user add` an option. Null: the default of the
 * service. Throws `USAGE`.
 */
function readQuota(subcommand: string, value: string | undefined, options: ParsedOptions): number | null {
  if (subcommand === 'add') return readByteSize(options, 'quota', MIN_QUOTA_BYTES) ?? null;
  if (subcommand !== 'quota' || value === 'none') return null;
  if (value === undefined) throw usageError('Missing quota: expected a size such as 5G, or none.');
  return parseByteSize('quota', value, MIN_QUOTA_BYTES);
}

/** Reads the argument after the name of `user owner`. Throws `USAGE`. */
function readSwitch(value: string | undefined): boolean {
  if (value === 'on' || value === 'off') return value === 'on';
  throw usageError('Invalid arguments of user owner: expected one name, and on or off.');
}

function usageError(message: string): StartError {
  return new StartError('USAGE', message);
}

/**
 * Parses the arguments of `user` or `client`. Throws `USAGE`. A password is never an argument: other users could read
 * it in the process list.
 */
function parseSubcommand(
  command: string,
  subcommands: Record<string, Subcommand>,
  table: OptionTable,
  args: readonly string[],
) {
  const options = parseOptions(args, table, process.env);
  const [subcommandName = '', name = '', ...more] = options.positionals;
  const subcommand = Object.hasOwn(subcommands, subcommandName) ? subcommands[subcommandName] : undefined;
  if (!subcommand) {
    const expected = `expected one of ${Object.keys(subcommands).join(', ')}`;
    throw usageError(`Invalid subcommand "${subcommandName}" of ${command}: ${expected}.`);
  }
  const takesName = subcommandName !== 'list';
  if (takesName ? !isValidAccountName(name) : name !== '') {
    const expected = takesName ? 'one name of 1 to 200 characters without a colon' : 'no name';
    throw usageError(`Invalid arguments of ${command} ${subcommandName}: expected ${expected}.`);
  }
  const expectedValue = VALUES[subcommandName];
  if (more.length > (expectedValue ? 1 : 0)) {
    const expected = expectedValue ? `one name and ${expectedValue}` : 'one name';
    throw usageError(`Too many arguments for ${command} ${subcommandName}: expected ${expected}.`);
  }
  if (subcommandName !== 'add' && args.some((arg) => /^--quota(=|$)/.test(arg))) {
    throw usageError(
      `Option --quota is not valid for ${command} ${subcommandName}. To change a quota, use: user quota`,
    );
  }
  const quotaBytes = readQuota(subcommandName, more[0], options);
  const isOwner = subcommandName === 'owner' && readSwitch(more[0]);
  return { run: subcommand, subcommandArguments: { name, quotaBytes, isOwner }, open: readOpen(command, options) };
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

/** The accounts of a service, which may be running. */
interface OpenedAccounts {
  accounts: Accounts;
  close(): Promise<void>;
}

async function openFolderAccounts(folder: string): Promise<OpenedAccounts> {
  const store = await openSharedStore(folder); // also while the service runs: SQLite serializes writes
  return { accounts: createAccounts(store, () => copyAccounts(folder, store)), close: () => store.destroy() };
}

/** Returns a function that opens the accounts in a data folder or a database. Throws `USAGE`. */
function readOpen(command: string, options: ParsedOptions): () => Promise<OpenedAccounts> {
  const database = readConnection(options);
  const data = options.stringValues.get('data');
  if (!database) {
    refuseWithoutDatabase(options);
    return () => openFolderAccounts(path.resolve(data ?? defaultDataFolder()));
  }
  if (data !== undefined) throw usageError('Set only one of --data and --database-url (or its environment variable).');
  const bucket = readBucket(options);
  return async () => {
    hideArguments(command);
    const { openDatabaseAccounts } = await import('../database-mode/database-mode.js');
    return openDatabaseAccounts({ database, bucket }, createLogger('warn'));
  };
}

async function runSubcommand(
  command: string,
  subcommands: Record<string, Subcommand>,
  table: OptionTable,
  args: readonly string[],
): Promise<number> {
  const { run, subcommandArguments, open } = parseSubcommand(command, subcommands, table, args);
  const { accounts, close } = await open();
  try {
    const streams = { input: process.stdin, output: process.stderr };
    const lines = await run(accounts, subcommandArguments, streams);
    for (const line of lines) await writeText(process.stdout, `${line}\n`);
    return 0;
  } finally {
    await close();
  }
}

/** Runs `model-processing user`. Resolves with the exit status; throws `StartError`. */
export function userCommand(args: readonly string[]): Promise<number> {
  return runSubcommand('user', USER_SUBCOMMANDS, USER_OPTIONS, args);
}

/** Runs `model-processing client`. Resolves with the exit status; throws `StartError`. */
export function clientCommand(args: readonly string[]): Promise<number> {
  return runSubcommand('client', CLIENT_SUBCOMMANDS, OPTIONS, args);
}
