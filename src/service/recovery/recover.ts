import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { openBlobFolder } from '../blobs/blob-folder.js';
import type { DataFolder } from '../data-folder/data-folder.js';
import { readFolderIdentity } from '../data-folder/folder-identity.js';
import { readDatabaseHeader } from '../store/database-header.js';
import { storeTagOf } from '../store/identity.js';
import type { IdentityRow, OperationRow } from '../store/schema.js';
import { buildDatabase } from './build-database.js';
import { type ChosenAccounts, chooseAccounts } from './choose-accounts.js';
import { completeOrRequeueOperation } from './complete-or-requeue-operation.js';
import { findFiles, type RecoverableFiles } from './find-files.js';
import { type OldDatabase, openOldDatabase } from './old-database.js';
import { FILES, KEYS, OPERATIONS } from './parse-rows.js';
import type { DamagedTable } from './read-damaged-table.js';
import { replaceDatabase } from './replace-database.js';
import { keepAccountsAside, readSavedAccounts, type SavedAccounts } from './saved-accounts.js';

// SQLite stores the generation in a signed integer of 32 bits.
const MAX_GENERATION = 2 ** 31 - 2;

/** What was found in a data folder. */
export interface Findings {
  database: Pick<OldDatabase, 'state' | 'reason'>;
  /** `isComplete`: no operation was unreadable. */
  operations: { count: number; isComplete: boolean };
  accounts: ChosenAccounts;
  savedAccounts: SavedAccounts['state'];
  files: RecoverableFiles;
}

/** The outcome of a recovery. */
export interface Recovery {
  /** `undefined` if an interrupted recovery was finished, whose findings are not known. */
  findings: Findings | undefined;
  /** Where the old database is kept. `undefined` in a dry run. */
  oldDatabaseFile: string | undefined;
}

/** Returns the identity of a recovery that was interrupted while it replaced the database. */
async function findInterrupted({ recoveredFile, identityFile }: DataFolder): Promise<IdentityRow | undefined> {
  const header = await readDatabaseHeader(recoveredFile);
  const identity = await readFolderIdentity(identityFile);
  if (header.state !== 'valid' || !identity) return undefined;
  const isSame = header.generation === identity.generation && header.storeTag === storeTagOf(identity.store_id);
  return isSame ? identity : undefined;
}

/** Yields the recovered rows of the operations. */
function* completeOrRequeueAll(
  { rows }: DamagedTable<OperationRow>,
  files: RecoverableFiles,
  now: number,
): Generator<OperationRow> {
  for (const operation of rows) yield completeOrRequeueOperation(operation, files.rows, now);
}

function nextGeneration(...generations: number[]): number {
  return 1 + Math.max(0, ...generations.filter((one) => Number.isInteger(one) && one < MAX_GENERATION));
}

/** Builds the new database at `target` in `workFolder`. */
async function build(
  { folder, storeFile, accountsFile, identityFile }: DataFolder,
  workFolder: string,
  target: string,
  now: number,
): Promise<{ findings: Findings; identity: IdentityRow }> {
  const saved = await readSavedAccounts(accountsFile);
  const folderIdentity = await readFolderIdentity(identityFile);
  // Only accounts.json has a checksum.
  const storeId = saved.accounts?.storeId ?? folderIdentity?.store_id;
  const old = await openOldDatabase(storeFile, workFolder, storeId);
  try {
    const identity = {
      store_id: storeId ?? old.storeId ?? randomUUID(),
      generation: nextGeneration(folderIdentity?.generation ?? 0, old.generation),
    };
    const accounts = chooseAccounts(saved.accounts, old);
    const files = await findFiles(await openBlobFolder(folder), old.readTable(FILES), now);
    const table = old.readTable(OPERATIONS);
    const operations = completeOrRequeueAll(table, files, now);
    const keys = old.readTable(KEYS).rows;
    const content = { identity, accounts, operations, files: files.rows, keys, claims: files.claims, now };
    const count = await buildDatabase(path.join(workFolder, 'build.db'), target, content);
    const recovered = { count, isComplete: table.isComplete() };
    const findings = { database: old, operations: recovered, accounts, savedAccounts: saved.state, files };
    return { findings, identity };
  } finally {
    old.close();
  }
}

/**
 * Rebuilds the database of a locked data folder: files and models from their records, users and clients from
 * `accounts.json` or the old database, operations from the old database as far as it is readable, idempotency keys from
 * the old database and the records. An unreadable `accounts.json` is moved to quarantine. Ages start again, and there are no tokens. `isApplied`: whether to replace the old
 * database, which is then kept in quarantine; otherwise nothing is changed. An interrupted call can be repeated. Throws
 * `FOLDER_NEWER`.
 */
export async function recover(folder: DataFolder, isApplied: boolean, now: number): Promise<Recovery> {
  const { recoveredFile } = folder;
  const interrupted = await findInterrupted(folder);
  if (interrupted) {
    const oldDatabaseFile = isApplied ? await replaceDatabase(folder, interrupted, now) : undefined;
    return { findings: undefined, oldDatabaseFile };
  }
  const workFolder = path.join(folder.folder, 'recover.tmp');
  await rm(workFolder, { recursive: true, force: true });
  await mkdir(workFolder, { mode: 0o700 });
  try {
    const target = path.join(workFolder, 'new.db');
    const { findings, identity } = await build(folder, workFolder, target, now);
    if (!isApplied) return { findings, oldDatabaseFile: undefined };
    if (findings.savedAccounts === 'unreadable') await keepAccountsAside(folder, now);
    await rename(target, recoveredFile);
    return { findings, oldDatabaseFile: await replaceDatabase(folder, identity, now) };
  } finally {
    await rm(workFolder, { recursive: true, force: true });
  }
}
