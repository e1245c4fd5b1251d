import { mkdir, rename } from 'node:fs/promises';
import path from 'node:path';
import { readAccountsFile } from '../data-folder/accounts-file.js';
import type { DataFolder } from '../data-folder/data-folder.js';
import { syncToDisk } from '../machine/sync-to-disk.js';
import type { AccountSnapshot } from '../store/accounts.js';

/** What `accounts.json` says. `unreadable`: the system cannot read it, or its checksum is wrong. */
export type SavedAccounts =
  | { state: 'read'; accounts: AccountSnapshot }
  | { state: 'missing' | 'unreadable'; accounts: undefined };

/** Reads `accounts.json` for a recovery, which goes on without it, whatever the reason why it is not readable. */
export async function readSavedAccounts(file: string): Promise<SavedAccounts> {
  const saved = await readAccountsFile(file).catch(() => 'damaged' as const);
  if (saved === 'damaged') return { state: 'unreadable', accounts: undefined };
  return saved ? { state: 'read', accounts: saved } : { state: 'missing', accounts: undefined };
}

/** Moves an unreadable `accounts.json` to quarantine: the next start writes another one. */
export async function keepAccountsAside({ folder, accountsFile }: DataFolder, now: number): Promise<void> {
  const quarantine = path.join(folder, 'quarantine');
  const time = new Date(now).toISOString().replaceAll(/[:.]/g, '-');
  await mkdir(quarantine, { recursive: true, mode: 0o700 });
  await rename(accountsFile, path.join(quarantine, `accounts-before-recovery-${time}.json`));
  await syncToDisk(quarantine);
  await syncToDisk(folder);
}
