import { constants, type Stats } from 'node:fs';
import { chmod, copyFile, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { isBlobDamaged } from '../blobs/blob-damage.js';
import { openBlobFolder } from '../blobs/blob-folder.js';
import { type BlobReader, createBlobReader } from '../blobs/blob-reader.js';
import type { BlobStore } from '../blobs/blob-store.js';
import { digestFile } from '../blobs/digest.js';
import { createLogger, type Logger } from '../logger.js';
import { ensureFolder } from '../machine/ensure-folder.js';
import { isMissing } from '../machine/is-missing.js';
import { syncToDisk } from '../machine/sync-to-disk.js';
import { StartError } from '../start-error.js';
import type { Store } from '../store/database.js';
import { createRecord, findDigest } from '../store/file-row.js';
import { createFiles, type Files } from '../store/files.js';
import { createIdentity } from '../store/identity.js';
import type { FileRow } from '../store/schema.js';
import { openStore, removeWal, vacuumInto } from '../store/sqlite.js';
import { writeAccountsFile } from './accounts-file.js';
import { accountsPath, databasePath, unfinishedPath } from './data-folder.js';
import { explainFolderError } from './explain-folder-error.js';
import { writeFolderIdentity } from './folder-identity.js';
import { copyCheckedDatabase } from './open-data-store.js';
import { restrictPermissions } from './restrict-permissions.js';
import { writeAtomically } from './write-atomically.js';

// More copies at once are not faster on one disk.
const CONCURRENT_COPIES = 4;

/** The number of files and models by what became of them. */
export interface CopyCounts {
  copied: number;
  bytes: number;
  /** Deleted while the copy was made, and marked so in it. */
  deleted: number;
  /** Their content is missing, unreadable or was altered. */
  damaged: number;
}

/** The names that a folder may contain before a store is copied into it. */
const IGNORED_NAMES = new Set(['lost+found', 'lock.db', 'lock.db-journal']);

/** Throws `FOLDER_NOT_EMPTY` if a folder has any content. */
export async function requireEmptyFolder(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  if (names.every((name) => IGNORED_NAMES.has(name))) return;
  const remedy = 'Name a new folder, or move the content elsewhere. An unfinished copy has no service.db.';
  throw new StartError('FOLDER_NOT_EMPTY', `Could not copy into ${folder}: it is not empty. ${remedy}`);
}

/** Opens the database of a copy, and restarts the age of every file. */
async function openCopy(file: string): Promise<Store> {
  const copy = await openStore(file);
  const time = (await copy.selectFrom('retention_time').select('time').executeTakeFirst())?.time ?? Date.now();
  await copy.updateTable('file').set({ retained_from: time, read_at: time }).where('deleted_at', 'is', null).execute();
  await copy.updateTable('retention_time').set({ saved_at: Date.now() }).execute();
  return copy;
}

/** Where files are copied from. */
interface Source {
  folder: string;
  blobs: BlobReader;
  /** Resolves with whether a file that the database of the copy has was not deleted meanwhile. */
  isStored: (id: string) => Promise<boolean>;
}

/** Where files are copied to. */
interface Target {
  blobs: BlobStore;
  files: Files;
}

/** Copies one file with its record. Resolves with what became of it. */
async function copyBlob(file: FileRow, source: Source, target: Target): Promise<Exclude<keyof CopyCounts, 'bytes'>> {
  const { id } = file;
  const temporary = target.blobs.scratchPath();
  let info: Stats;
  try {
    await copyFile(source.blobs.pathOf(id), temporary, constants.COPYFILE_FICLONE);
    info = await stat(temporary);
  } catch (error) {
    if (!isBlobDamaged(error)) throw error;
    const isStored = await source.isStored(id);
    if (isStored) await target.files.setDamaged(id, Date.now());
    else await target.files.setDeleted(id, file.retained_from);
    return isStored ? 'damaged' : 'deleted';
  }
  const digest = findDigest(file) ?? digestFile(temporary);
  const record = (await source.blobs.readRecord(id)) ?? createRecord(file, digest);
  await target.blobs.fromScratch(temporary, record);
  return info.size === file.size && file.damaged_at === null ? 'copied' : 'damaged';
}

async function copyBlobs(source: Source, target: Target): Promise<CopyCounts> {
  const counts: CopyCounts = { copied: 0, bytes: 0, deleted: 0, damaged: 0 };
  const ids = (await target.files.storedIds()).values();
  const copyRest = async (): Promise<void> => {
    for (const id of ids) {
      const file = await target.files.findStored(id);
      if (!file) continue;
      const outcome = await copyBlob(file, source, target);
      counts[outcome] += 1;
      if (outcome === 'copied') counts.bytes += file.size;
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT_COPIES }, copyRest));
  return counts;
}

/** Copies `credentials.json` if there is one. Without it, a service would create a new account. */
async function copyCredentials(sourceFolder: string, targetFolder: string): Promise<void> {
  const name = 'credentials.json';
  const text = await readFile(path.join(sourceFolder, name), 'utf8').catch((error: unknown) => {
    if (!isMissing(error)) throw error;
    return undefined;
  });
  if (text !== undefined) await writeAtomically(path.join(targetFolder, name), text);
}

/** Deletes what `openStore` keeps of a database of an earlier version: the backup has it. */
async function removeUpgradeCopies(folder: string): Promise<void> {
  const prefix = `${path.basename(unfinishedPath(folder))}.v`;
  const names = (await readdir(folder)).filter((name) => name.startsWith(prefix));
  for (const name of names) await rm(path.join(folder, name));
}

/**
 * Copies all but the database, which is in the target folder under its unfinished name. It gets its own name only when
 * all is copied, so that a service refuses an unfinished copy.
 */
async function finishCopy(source: Source, targetFolder: string): Promise<CopyCounts> {
  const temporary = unfinishedPath(targetFolder);
  const copy = await openCopy(temporary);
  let counts: CopyCounts;
  try {
    counts = await copyBlobs(source, { blobs: await openBlobFolder(targetFolder), files: createFiles(copy) });
    await copyCredentials(source.folder, targetFolder);
    await writeFolderIdentity(path.join(targetFolder, 'store.json'), await createIdentity(copy).find());
    await writeAccountsFile(accountsPath(targetFolder), copy);
    await removeWal(copy);
  } finally {
    await copy.destroy();
  }
  await removeUpgradeCopies(targetFolder);
  await syncToDisk(temporary);
  await rename(temporary, databasePath(targetFolder));
  await syncToDisk(targetFolder);
  return counts;
}

/**
 * Copies the store of a data folder into an empty folder: a snapshot of the database, then its files with their records,
 * `credentials.json` and `accounts.json`. A service may use the source. The age of each file starts anew in the copy.
 * Logs a warning if the permissions of the folder cannot be restricted.
 */
export async function copyStore(
  store: Store,
  folder: string,
  targetFolder: string,
  logger: Logger = createLogger(),
): Promise<CopyCounts> {
  await ensureFolder(targetFolder, 0o700).catch(async (error: unknown) => {
    throw await explainFolderError(error, targetFolder, { name: 'folder', alternative: 'name another one' });
  });
  await restrictPermissions(targetFolder, logger); // it may have existed
  const temporary = unfinishedPath(targetFolder);
  await vacuumInto(store, temporary);
  await chmod(temporary, 0o600);
  const files = createFiles(store);
  const isStored = async (id: string): Promise<boolean> => (await files.findStored(id)) !== undefined;
  return finishCopy({ folder, blobs: createBlobReader(folder), isStored }, targetFolder);
}

/**
 * Copies a backup into an empty folder, like `copyStore`. Nothing is written to the backup, which no service may use.
 * Throws the errors of `copyCheckedDatabase`.
 */
export async function restoreStore(
  backup: string,
  targetFolder: string,
  logger: Logger = createLogger(),
): Promise<CopyCounts> {
  await restrictPermissions(targetFolder, logger);
  await copyCheckedDatabase(backup, unfinishedPath(targetFolder));
  const isStored = (): Promise<boolean> => Promise.resolve(true); // nobody deletes files from a backup
  return finishCopy({ folder: backup, blobs: createBlobReader(backup), isStored }, targetFolder);
}
