import { existsSync } from 'node:fs';
import { chmod, copyFile, rm } from 'node:fs/promises';
import { isUnreadable } from '../blobs/blob-damage.js';
import { containsBlobs } from '../blobs/blob-folder.js';
import type { Logger } from '../logger.js';
import { recover } from '../recovery/recover.js';
import { isDiskFull } from '../service-error.js';
import { StartError, type StartErrorCode } from '../start-error.js';
import { isWalDamaged } from '../store/check-wal.js';
import type { Store } from '../store/database.js';
import { readDatabaseHeader } from '../store/database-header.js';
import { createIdentity, storeTagOf } from '../store/identity.js';
import { openConnection } from '../store/open-connection.js';
import { findDatabaseDamage } from '../store/quick-check.js';
import { readAccountVersion } from '../store/read-account-version.js';
import { rollBackJournal } from '../store/roll-back-journal.js';
import { LOCK_WAIT_MS, openStore, truncateWal } from '../store/sqlite.js';
import { readAccountsFile } from './accounts-file.js';
import {
  type DataFolder,
  type DataFolderPaths,
  databasePath,
  openDataFolder,
  pathsOf,
  refuseLocked,
  unfinishedPath,
} from './data-folder.js';
import { explainFolderError } from './explain-folder-error.js';
import { readFolderIdentity, writeFolderIdentity } from './folder-identity.js';

function refuse(code: StartErrorCode, fact: string, remedy: string): never {
  throw new StartError(code, `Could not open the data folder: ${fact}. Nothing was changed. ${remedy}`);
}

function recoveryRemedy(folder: string): string {
  return `To rebuild it from the records in the folder, run: model-processing recover --data ${folder}`;
}

/** Refuses a folder without a database that is an unfinished copy of another one. */
function refuseUnfinishedCopy(folder: string): void {
  if (!existsSync(unfinishedPath(folder))) return;
  const fact = `${folder} is an unfinished copy: it has service.db.part, but no service.db`;
  refuse('DATABASE_MISSING', fact, 'Delete the folder, and copy again.');
}

function refuseMissing({ storeFile, folder }: Pick<DataFolder, 'storeFile' | 'folder'>): never {
  const fact = `its database ${storeFile} is missing or empty, but the folder contains files`;
  const remedy = `Restore the database, with its -wal file if there is one. ${recoveryRemedy(folder)}`;
  return refuse('DATABASE_MISSING', fact, remedy);
}

function refuseDamaged(file: string, folder: string, reason: string): never {
  const remedy = `Check the disk, copy the folder, and restore the newest backup of the database. ${recoveryRemedy(folder)}`;
  return refuse('DATABASE_DAMAGED', `its database file ${file} is damaged (${reason})`, remedy);
}

/** Returns how to start with a database that does not match the folder. */
function acceptanceRemedy({ folder, identityFile, accountsFile }: DataFolderPaths): string {
  return `Restore the current database. To start with this one, move ${identityFile} and ${accountsFile} elsewhere, and the -wal file unless it was copied with the database: files without a row get it back from their records. ${recoveryRemedy(folder)}`;
}

/**
 * Refuses the database of another folder, and a database older than the folder: files would have no row. Compares the
 * headers, because a write-ahead log that does not belong to the database could give it any content.
 */
async function checkIdentity(folder: DataFolderPaths, header: { generation: number; storeTag: number }): Promise<void> {
  const { storeFile } = folder;
  const identity = await readFolderIdentity(folder.identityFile);
  if (!identity) return; // a folder of an earlier version, or the user accepted the database
  const remedy = acceptanceRemedy(folder);
  if (header.storeTag !== 0 && header.storeTag !== storeTagOf(identity.store_id)) {
    refuse('DATABASE_FOREIGN', `its database ${storeFile} belongs to another data folder`, remedy);
  }
  if (header.generation < identity.generation) {
    const generations = `generation ${header.generation} instead of ${identity.generation}`;
    refuse('DATABASE_OLDER', `its database ${storeFile} is older than its folder (${generations})`, remedy);
  }
}

/**
 * Refuses a database with older users and clients than their copy in the folder. The copy is read first, because a
 * command that runs meanwhile changes the database first. `databaseFile`: the database or a copy of it.
 */
async function checkAccounts(folder: DataFolderPaths, databaseFile: string): Promise<void> {
  const { storeFile, accountsFile } = folder;
  const saved = await readAccountsFile(accountsFile);
  if (saved === undefined || saved === 'damaged') return; // the start writes it again
  const { storeId, serial } = await readAccountVersion(databaseFile, LOCK_WAIT_MS);
  const remedy = acceptanceRemedy(folder);
  if (storeId !== undefined && storeId !== saved.storeId) {
    refuse(
      'DATABASE_FOREIGN',
      `its database ${storeFile} and ${accountsFile} belong to different data folders`,
      remedy,
    );
  }
  if (serial < saved.serial) {
    const serials = `change ${serial} of the users and clients instead of ${saved.serial}`;
    refuse('DATABASE_OLDER', `its database ${storeFile} is older than ${accountsFile} (${serials})`, remedy);
  }
}

/** Creates the database of a folder without files. Users and clients stay those of `accounts.json`, if there is one. */
async function createDataStore(folder: DataFolder, logger?: Logger): Promise<Store> {
  if (await readAccountsFile(folder.accountsFile)) {
    await recover(folder, true, Date.now());
    logger?.warn({ file: folder.accountsFile }, 'Missing database: created it with the saved users and clients');
  }
  return openStore(folder.storeFile);
}

/**
 * Opens the database of a locked data folder. In a folder without files, creates it with the users and clients of
 * `accounts.json`. Rolls back a transaction that a crash interrupted. Before SQLite opens anything else, checks that
 * the database exists, has a valid header, belongs to the folder and is not older; then checks its content and the age
 * of its users and clients over a read-only connection. Throws `DATABASE_MISSING` (also for an unfinished copy),
 * `DATABASE_DAMAGED`, `DATABASE_FOREIGN`, `DATABASE_OLDER` or `FOLDER_NEWER`, and then leaves all files as they are.
 */
export async function openDataStore(folder: DataFolder, logger?: Logger): Promise<Store> {
  const { storeFile } = folder;
  await rollBackJournal(storeFile, LOCK_WAIT_MS);
  const header = await readDatabaseHeader(storeFile);
  if (header.state === 'invalid') refuseDamaged(storeFile, folder.folder, 'it is not an SQLite database');
  if (header.state === 'missing') {
    refuseUnfinishedCopy(folder.folder);
    if (await containsBlobs(folder.folder)) refuseMissing(folder);
    return createDataStore(folder, logger);
  }
  await checkIdentity(folder, header);
  const wal = `${storeFile}-wal`;
  if (await isWalDamaged(wal)) refuseDamaged(wal, folder.folder, 'a checksum is wrong, and commits follow it');
  const damage = await findDatabaseDamage(storeFile, LOCK_WAIT_MS).catch((err: unknown) => {
    if (!isDiskFull(err)) throw err;
    logger?.warn({ err }, 'Could not check the database: the disk is full');
    return undefined;
  });
  if (damage !== undefined) refuseDamaged(storeFile, folder.folder, damage);
  await checkAccounts(folder, storeFile).catch((err: unknown) => {
    if (!isDiskFull(err)) throw err;
    logger?.warn({ err }, 'Could not check the users and clients: the disk is full');
  });
  return openStore(storeFile);
}

/**
 * Starts a new generation of the store: raises it in the database, then in the folder. Copies the write-ahead log into
 * the database first, so that the header on the disk is never older than the folder. Skipped on a full disk.
 */
export async function startGeneration(store: Store, folder: DataFolder, logger: Logger): Promise<void> {
  // Left by a recovery that was interrupted before it changed anything. The new generation would make it look current.
  await rm(folder.recoveredFile, { force: true });
  const identity = createIdentity(store);
  const current = await identity.find();
  const next = { ...current, generation: current.generation + 1 };
  try {
    await identity.replace(next);
    if (await truncateWal(store)) await writeFolderIdentity(folder.identityFile, next);
  } catch (err) {
    if (!isDiskFull(err)) throw err;
    logger.warn({ err }, 'Could not start a new generation of the store: the disk is full');
  }
}

/** Throws `DATABASE_MISSING` if a folder has no database. Creates nothing: the name of the folder may be wrong. */
async function requireStore(folder: string): Promise<void> {
  const storeFile = databasePath(folder);
  if ((await readDatabaseHeader(storeFile)).state !== 'missing') return;
  refuseUnfinishedCopy(folder);
  if (await containsBlobs(folder)) refuseMissing({ storeFile, folder });
  const remedy = 'Name the data folder of a service, which creates it at its first start.';
  refuse('DATABASE_MISSING', `${folder} has no service.db`, remedy);
}

/**
 * Opens the database of a data folder that a service may be using. Checks it like `openDataStore`, unless a service runs
 * and has checked it. Throws `DATABASE_MISSING` if there is none, and `FOLDER_UNUSABLE`.
 */
export async function openSharedStore(folder: string): Promise<Store> {
  try {
    return await openExistingStore(folder);
  } catch (error) {
    throw await explainFolderError(error, folder);
  }
}

async function openExistingStore(folder: string): Promise<Store> {
  await requireStore(folder);
  let locked: DataFolder;
  try {
    locked = await openDataFolder(folder);
  } catch (error) {
    if (!(error instanceof StartError) || error.code !== 'FOLDER_LOCKED') throw error;
    return openStore(databasePath(folder));
  }
  try {
    return await openDataStore(locked);
  } finally {
    locked.release();
  }
}

/** Copies the database of a folder with its logs, if there are any. */
async function copyDatabase(storeFile: string, target: string): Promise<void> {
  for (const suffix of ['', '-wal', '-journal']) {
    if (suffix !== '' && !existsSync(storeFile + suffix)) continue;
    await copyFile(storeFile + suffix, target + suffix);
    await chmod(target + suffix, 0o600);
  }
}

/** Writes the content of the logs of a database into it, so that it is one file. */
async function mergeLogs(file: string): Promise<void> {
  const connection = await openConnection(file, LOCK_WAIT_MS);
  try {
    connection.pragma('journal_mode = delete');
  } catch (error) {
    if (isDiskFull(error)) throw error; // for other errors, the check that follows finds out what is wrong
  } finally {
    connection.close();
  }
}

/**
 * Copies the database of a backup to `target`, which does not exist, and checks the copy like `openDataStore`. The
 * folder may be read-only: nothing is written to it. Throws the errors of `openDataStore`, and `FOLDER_LOCKED` if a
 * service is using the folder. No copy remains then.
 */
export async function copyCheckedDatabase(backup: string, target: string): Promise<void> {
  const paths = pathsOf(backup);
  const { storeFile } = paths;
  await requireStore(backup);
  await refuseLocked(backup);
  const header = await readDatabaseHeader(storeFile);
  if (header.state !== 'valid') return refuseDamaged(storeFile, backup, 'it is not an SQLite database');
  await checkIdentity(paths, header);
  try {
    await copyDatabase(storeFile, target);
    const isLogDamaged = await isWalDamaged(`${target}-wal`); // before a connection is open
    if (isLogDamaged) refuseDamaged(`${storeFile}-wal`, backup, 'a checksum is wrong, and commits follow it');
    await mergeLogs(target);
    const damage = await findDatabaseDamage(target, LOCK_WAIT_MS);
    if (damage !== undefined) refuseDamaged(storeFile, backup, damage);
    await checkAccounts(paths, target);
  } catch (error) {
    for (const suffix of ['', '-wal', '-shm', '-journal']) await rm(target + suffix, { force: true });
    if (isUnreadable(error)) refuseDamaged(storeFile, backup, 'the disk cannot read it');
    throw error;
  }
}
