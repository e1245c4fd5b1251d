import { existsSync } from 'node:fs';
import path from 'node:path';
import { openDataFolder } from '../data-folder/data-folder.js';
import { type Findings, type Recovery, recover } from '../recovery/recover.js';
import { StartError } from '../start-error.js';
import { BUCKET_OPTIONS, CONNECTION_OPTIONS, readDatabaseOptions } from './database-options.js';
import { defaultDataFolder } from './default-data-folder.js';
import { formatCount } from './format-count.js';
import { type OptionTable, type ParsedOptions, parseOptions } from './parse-options.js';
import { recoverDatabaseCommand } from './recover-database-command.js';
import { refusePositionals } from './service-options.js';
import { writeText } from './write-text.js';

const OPTIONS: OptionTable = {
  data: { type: 'string', isPath: true },
  apply: { type: 'boolean' },
  'take-over': { type: 'boolean' },
  ...CONNECTION_OPTIONS,
  ...BUCKET_OPTIONS,
};

/** What a data folder of any version contains at least one of. */
const CONTENTS = ['service.db', 'service.db-wal', 'store.json', 'accounts.json', 'blobs'];

function readFolder({ stringValues, flags }: ParsedOptions): string {
  if (flags.has('take-over')) {
    throw new StartError('USAGE', 'Missing --database-url: --take-over is for the bucket of a lost database.');
  }
  const folder = path.resolve(stringValues.get('data') ?? defaultDataFolder());
  if (!CONTENTS.some((name) => existsSync(path.join(folder, name)))) {
    throw new StartError('USAGE', `No data folder at ${folder}. Choose one with --data.`);
  }
  return folder;
}

function describeDatabase({ state, reason }: Findings['database']): string {
  if (state === 'damaged') return `damaged (${reason?.trim().replaceAll(/\s+/g, ' ')})`;
  if (state === 'foreign') return 'belongs to another data folder, not used';
  return state;
}

function describeAccounts({ accounts }: Findings): string {
  if (accounts.source === 'none') return 'none found: the next start creates a new account';
  const counts = `${formatCount(accounts.users.length, 'user')}, ${formatCount(accounts.clients.length, 'client')}`;
  return `${counts}, from ${accounts.source === 'database' ? 'the old database' : accounts.source}`;
}

/** Returns the lines about files and models, and about what is missing. */
function describeFiles({ files: { rows, unknownCount }, accounts }: Findings): string[] {
  const stored = [...rows.values()].filter((row) => row.deleted_at === null);
  const served = stored.filter((row) => row.damaged_at === null);
  const models = served.filter(({ kind }) => kind === 'model').length;
  const owners = new Set(served.map(({ owner }) => owner));
  const userIds = new Set(accounts.users.map(({ id }) => id));
  const unknownOwnerCount = [...owners].filter((owner) => !userIds.has(owner)).length;
  const damaged = stored.length - served.length;
  const counts = `${formatCount(served.length - models, 'file')}, ${formatCount(models, 'model')}`;
  return [
    `Files:       ${counts} of ${formatCount(owners.size, 'user')}`,
    ...(damaged > 0
      ? [`Damaged:     ${formatCount(damaged, 'file')} or models with missing or incomplete content`]
      : []),
    ...(unknownOwnerCount > 0
      ? [`No account:  ${formatCount(unknownOwnerCount, 'owner')} of files, which nobody can access`]
      : []),
    ...(unknownCount > 0
      ? [`Unknown:     ${formatCount(unknownCount, 'file')} without record, moved to quarantine by the next start`]
      : []),
  ];
}

function describeFindings(findings: Findings): string[] {
  const { count, isComplete } = findings.operations;
  return [
    `Database:    ${describeDatabase(findings.database)}`,
    `Operations:  ${count}${isComplete ? '' : ', others were unreadable'}`,
    `Accounts:    ${describeAccounts(findings)}`,
    ...(findings.savedAccounts === 'unreadable' ? ['Unreadable:  accounts.json, moved to quarantine by --apply'] : []),
    ...describeFiles(findings),
  ];
}

function describe({ findings, oldDatabaseFile }: Recovery, folder: string): string[] {
  const findingLines = findings
    ? describeFindings(findings)
    : ['An earlier recovery was interrupted after it had built the new database.'];
  const outcome =
    oldDatabaseFile === undefined
      ? ['Nothing was changed. To replace the database, repeat the command with --apply.']
      : [
          `Replaced the database. What was left of the old one is ${oldDatabaseFile}*.`,
          'Everybody has to sign in again.',
        ];
  return [`Data folder: ${folder}`, ...findingLines, ...outcome];
}

async function recoverFolder(folder: string, isApplied: boolean): Promise<number> {
  const locked = await openDataFolder(folder);
  try {
    const recovery = await recover(locked, isApplied, Date.now());
    await writeText(process.stdout, `${describe(recovery, folder).join('\n')}\n`);
    return 0;
  } finally {
    locked.release();
  }
}

/**
 * Runs `model-processing recover`. Resolves with the exit status; throws `StartError`, `FOLDER_LOCKED` if a service is
 * running.
 */
export async function recoverCommand(args: readonly string[]): Promise<number> {
  const options = parseOptions(args, OPTIONS, process.env);
  refusePositionals(options);
  const { stringValues, flags } = options;
  const isApplied = flags.has('apply');
  const database = readDatabaseOptions(options);
  if (!database) return recoverFolder(readFolder(options), isApplied);
  if (stringValues.has('data')) {
    throw new StartError('USAGE', 'Set only one of --data and --database-url (or its environment variable).');
  }
  return recoverDatabaseCommand({ ...database, isApplied, takesOver: flags.has('take-over') });
}
