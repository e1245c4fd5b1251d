import type { DatabaseFindings } from '../database-mode/recovery/recover-database.js';
import { createLogger } from '../logger.js';
import { type DatabaseOptions, hideArguments } from './database-options.js';
import { formatCount } from './format-count.js';
import { formatKey } from './format-key.js';
import { writeText } from './write-text.js';

/** What `recover` does with a database. */
interface RecoverDatabaseArguments extends DatabaseOptions {
  isApplied: boolean;
  takesOver: boolean;
}

/** The lines about what stays in the bucket without a row. */
const REMAINING: [keyof DatabaseFindings['remaining'], string][] = [
  ['unreadable', 'Damaged records:  '],
  ['unrecorded', 'Without record:   '],
  ['repeated', 'Other attempts:   '],
  ['unknown', 'Unknown objects:  '],
];

function describeAccounts({ accounts: { state, userCount, clientCount } }: DatabaseFindings): string {
  if (state === 'missing') return 'none: the bucket has no accounts.json. Add the users and clients again';
  if (state === 'unreadable') return 'none: accounts.json is damaged, and kept in quarantine/ of the bucket by --apply';
  return `${formatCount(userCount, 'user')}, ${formatCount(clientCount, 'client')}, from accounts.json`;
}

/** Returns the lines about files and models, and about what stays without a row. */
function describeFiles(findings: DatabaseFindings): string[] {
  const { fileCount, modelCount, ownerCount, damagedCount, unknownOwnerCount, remaining } = findings;
  const files = `${formatCount(fileCount, 'file')}, ${formatCount(modelCount, 'model')}`;
  const lines = [`Files:            ${files} of ${formatCount(ownerCount, 'user')}`];
  if (damagedCount > 0) {
    lines.push(`Damaged:          ${formatCount(damagedCount, 'file')} or models with missing or incomplete content`);
  }
  if (unknownOwnerCount > 0) {
    lines.push(`No account:       ${formatCount(unknownOwnerCount, 'owner')} of files, which nobody can access`);
  }
  for (const [kind, label] of REMAINING) {
    const { count, keys } = remaining[kind];
    const more = count > keys.length ? ', ...' : '';
    if (count > 0) lines.push(`${label}${count}, which stay in the bucket: ${keys.map(formatKey).join(', ')}${more}`);
  }
  return lines;
}

function describe(findings: DatabaseFindings, bucket: string, { isApplied }: RecoverDatabaseArguments): string[] {
  const options = findings.isForeign ? '--apply --take-over' : '--apply';
  const outcome = isApplied
    ? ['Inserted the rows. Everybody has to sign in again.']
    : [`Nothing was changed. To insert the rows, repeat the command with ${options}.`];
  return [
    `Bucket:           ${bucket}${findings.isForeign && !isApplied ? ', which belongs to another database' : ''}`,
    `Accounts:         ${describeAccounts(findings)}`,
    ...describeFiles(findings),
    'Operations:       0, they were only in the database',
    ...outcome,
  ];
}

/** Runs `model-processing recover` for a database. Resolves with the exit status; throws as `recoverDatabase`. */
export async function recoverDatabaseCommand(options: RecoverDatabaseArguments): Promise<number> {
  hideArguments('recover');
  const { recoverDatabase } = await import('../database-mode/database-mode.js');
  const findings = await recoverDatabase({ ...options, logger: createLogger('warn') });
  const { bucket, prefix } = options.bucket;
  const name = prefix === undefined ? bucket : `${bucket}/${prefix}`;
  await writeText(process.stdout, `${describe(findings, name, options).join('\n')}\n`);
  return 0;
}
