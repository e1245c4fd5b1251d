import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Logger } from '../logger.js';
import { isMissing } from '../machine/is-missing.js';
import { type AccountSnapshot, holdAccounts } from '../store/accounts.js';
import type { Store } from '../store/database.js';
import { writeAtomically } from './write-atomically.js';

function computeChecksum(accounts: unknown): string {
  return createHash('sha256').update(JSON.stringify(accounts)).digest('hex');
}

/** Returns all users and clients, with hashes of their secrets only, as a text with a checksum. */
export function serializeAccounts(accounts: AccountSnapshot): string {
  return `${JSON.stringify({ accounts, sha256: computeChecksum(accounts) }, null, 2)}\n`;
}

/** Parses a copy of the users and clients. Returns `damaged` if its checksum is wrong. */
export function parseAccounts(text: string): AccountSnapshot | 'damaged' {
  try {
    const { accounts, sha256 }: Partial<Record<string, unknown>> = Object(JSON.parse(text));
    // The checksum proves that `serializeAccounts` returned it.
    return typeof accounts === 'object' && computeChecksum(accounts) === sha256
      ? (accounts as AccountSnapshot)
      : 'damaged';
  } catch {
    return 'damaged';
  }
}

/**
 * Reads `accounts.json`, the copy of the users and clients in a data folder. Resolves with `undefined` if it does not
 * exist, and with `damaged` if its checksum is wrong.
 */
export async function readAccountsFile(file: string): Promise<AccountSnapshot | 'damaged' | undefined> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  return text === undefined ? undefined : parseAccounts(text);
}

/**
 * Writes all users and clients to `accounts.json`. Holds the write lock of the
 * database, so that writers in several processes never replace newer accounts by older ones.
 */
export function writeAccountsFile(file: string, store: Store): Promise<void> {
  return holdAccounts(store, (accounts) => writeAtomically(file, serializeAccounts(accounts)));
}

/**
 * Writes `accounts.json` if it is missing, damaged or older than the database, because an earlier process ended between
 * its change of the accounts and the file.
 */
export async function updateAccountsFile(file: string, store: Store, logger: Logger): Promise<void> {
  const saved = await readAccountsFile(file);
  if (saved === 'damaged') logger.warn({ file }, 'Damaged copy of the users and clients: writing it again');
  const { serial } = await store.selectFrom('account_serial').select('serial').executeTakeFirstOrThrow();
  if (saved === undefined || saved === 'damaged' || saved.serial < serial) await writeAccountsFile(file, store);
}
