import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { hashPassword } from '../auth/passwords.js';
import { createSecret, hashSecret } from '../auth/secrets.js';
import { databasePath } from '../data-folder.js';
import { ensureFolder } from '../machine/ensure-folder.js';
import { StartError } from '../start-error.js';
import { type Accounts, createAccounts } from '../store/accounts.js';
import { openStore } from '../store/database.js';
import { defaultDataFolder } from './default-data-folder.js';
import { type OptionTable, parseOptions } from './parse-options.js';
import { type PasswordStreams, readPassword } from './read-password.js';

const OPTIONS: OptionTable = { data: { type: 'string' } };

/** What a verb does; answers the lines to print. */
type Subcommand = (accounts: Accounts, name: string, streams: PasswordStreams) => Promise<string[]>;

function unknownAccount(what: string, name: string): StartError {
  return new StartError('ACCOUNT_UNKNOWN', `there is no ${what} "${name}" in this data folder`);
}

function formatLine(name: string, createdAt: number): string {
  return `${name}\t${new Date(createdAt).toISOString()}`;
}

const USER_SUBCOMMANDS: Record<string, Subcommand> = {
  async add(accounts, username, streams) {
    if (await accounts.findUser(username)) {
      throw new StartError(
        'ACCOUNT_EXISTS',
        `there is a user "${username}" already: set a password with user password`,
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
        `there is a client "${clientId}" already: remove it to give it another secret`,
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

// A colon ends the client id in a Basic header; the others cannot be typed in a form.
function isValidName(name: string): boolean {
  return /^[^\p{Cc}:]{1,200}$/u.test(name);
}

/** Finds what to do on whom. A password is no argument: others could see it in the list of processes. */
function parseSubcommand(what: string, verbs: Record<string, Subcommand>, args: readonly string[]) {
  const options = parseOptions(args, OPTIONS, process.env);
  const [verbName = '', name = '', ...more] = options.positionals;
  const verb = Object.hasOwn(verbs, verbName) ? verbs[verbName] : undefined;
  if (!verb) throw new StartError('USAGE', `${what} takes one of ${Object.keys(verbs).join(', ')}`);
  const takesName = verbName !== 'list';
  if (takesName ? !isValidName(name) : name !== '') {
    throw new StartError('USAGE', `${what} ${verbName} takes ${takesName ? 'one name, without a colon' : 'no name'}`);
  }
  if (more.length > 0) throw new StartError('USAGE', `${what} ${verbName} takes nothing after the name`);
  return { verb, name, folder: path.resolve(options.stringValues.get('data') ?? defaultDataFolder()) };
}

async function runSubcommand(
  what: string,
  verbs: Record<string, Subcommand>,
  args: readonly string[],
): Promise<number> {
  const { verb, name, folder } = parseSubcommand(what, verbs, args);
  await ensureFolder(folder, 0o700);
  const store = await openStore(databasePath(folder)); // the service may run meanwhile: the database lets both write
  try {
    const streams = { input: process.stdin, output: process.stderr };
    const lines = await verb(createAccounts(store), name, streams);
    for (const line of lines) process.stdout.write(`${line}\n`);
    return 0;
  } finally {
    await store.destroy();
  }
}

/** `model-processing user`: answers the exit status; throws `StartError`. */
export function userCommand(args: readonly string[]): Promise<number> {
  return runSubcommand('user', USER_SUBCOMMANDS, args);
}

/** `model-processing client`: answers the exit status; throws `StartError`. */
export function clientCommand(args: readonly string[]): Promise<number> {
  return runSubcommand('client', CLIENT_SUBCOMMANDS, args);
}
