import { existsSync } from 'node:fs';
import path from 'node:path';
import { openDataFolder } from '../data-folder/data-folder.js';
import { type Findings, type Recovery, recover } from '../recovery/recover.js';
import { StartError } from '../start-error.js';
import { defaultDataFolder } from './default-data-folder.js';
import { type OptionTable, parseOptions } from './parse-options.js';
import { writeText } from './write-text.js';

const OPTIONS: OptionTable = { data: { type: 'string', isPath: true }, apply: { type: 'boolean' } };

/** What a data folder of any version contains at least one of. */
const CONTENTS = ['service.db', 'service.db-wal', 'store.json', 'accounts.json', 'blobs'];

function readRecoverOptions(args: readonly string[]) {
  const options = parseOptions(args, OPTIONS, process.env);
  const [unexpected] = options.positionals;
  if (unexpected !== undefined) throw new StartError('USAGE', `Unexpected argument "${unexpected}". See --help.`);
  const folder = path.resolve(options.stringValues.get('data') ?? defaultDataFolder());
  if (!CONTENTS.some((name) => existsSync(path.join(folder, name)))) {
    throw new StartError('USAGE', `No data folder at ${folder}. Choose one with --data.`);
  }
  return { folder, isApplied: options.flags.has('apply') };
}

function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
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

/**
 * Runs `model-processing recover`. Resolves with the exit status; throws `StartError`, `FOLDER_LOCKED` if a service is
 * running.
 */
export async function recoverCommand(args: readonly string[]): Promise<number> {
  const { folder, isApplied } = readRecoverOptions(args);
  const locked = await openDataFolder(folder);
  try {
    const recovery = await recover(locked, isApplied, Date.now());
    await writeText(process.stdout, `${describe(recovery, folder).join('\n')}\n`);
    return 0;
  } finally {
    locked.release();
  }
}
