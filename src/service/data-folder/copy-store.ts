import { constants, type Stats } from 'node:fs';
import { chmod, copyFile, readdir, readFile, rename, stat } from 'node:fs/promises';
import path from 'node:path';
import { sql } from 'kysely';
import { isBlobDamaged } from '../blobs/blob-damage.js';
import { type BlobStore, openBlobStore } from '../blobs/blob-store.js';
import { digestFile } from '../blobs/digest.js';
import { ensureFolder } from '../machine/ensure-folder.js';
import { syncToDisk } from '../machine/sync-to-disk.js';
import { StartError } from '../start-error.js';
import { openStore, type Store } from '../store/database.js';
import { createRecord } from '../store/file-row.js';
import { createFiles, type Files } from '../store/files.js';
import { createIdentity } from '../store/identity.js';
import type { FileRow } from '../store/schema.js';
import { writeAccountsFile } from './accounts-file.js';
import { accountsPath, databasePath, unfinishedPath } from './data-folder.js';
import { writeFolderIdentity } from './folder-identity.js';
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

/** Copies the database, also while a service writes to it, and restarts the age of every file. */
async function snapshotDatabase(source: Store, file: string): Promise<Store> {
  await sql`vacuum into ${file}`.execute(source);
  await chmod(file, 0o600);
  const copy = await openStore(file);
  const time = (await copy.selectFrom('retention_time').select('time').executeTakeFirst())?.time ?? Date.now();
  await copy.updateTable('file').set({ retained_from: time, read_at: time }).where('deleted_at', 'is', null).execute();
  await copy.updateTable('retention_time').set({ saved_at: Date.now() }).execute();
  return copy;
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

interface Side {
  blobs: BlobStore;
  files: Files;
}

/** Copies one file with its record. Resolves with what became of it. */
async function copyBlob(file: FileRow, source: Side, target: Side): Promise<Exclude<keyof CopyCounts, 'bytes'>> {
  const { id } = file;
  const temporary = target.blobs.temporaryPath(id);
  let info: Stats;
  try {
    await copyFile(source.blobs.pathOf(id), temporary, constants.COPYFILE_FICLONE);
    info = await stat(temporary);
  } catch (error) {
    if (!isBlobDamaged(error)) throw error;
    const isStored = (await source.files.findStored(id)) !== undefined;
    if (isStored) await target.files.setDamaged(id, Date.now());
    else await target.files.setDeleted(id, file.retained_from);
    return isStored ? 'damaged' : 'deleted';
  }
  const { sha256, block_crcs } = file;
  const isKnown = sha256 !== null && block_crcs !== null;
  const digest = isKnown ? { size: file.size, sha256, blockCrcs: block_crcs } : digestFile(temporary);
  await target.blobs.commit((await source.blobs.readRecord(id)) ?? createRecord(file, digest));
  return info.size === file.size && file.damaged_at === null ? 'copied' : 'damaged';
}

async function copyBlobs(source: Side, target: Side): Promise<CopyCounts> {
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

/**
 * Copies the store of a data folder into an empty folder: a snapshot of the database, then its files with their records,
 * `credentials.json` and `accounts.json`. A service may use the source. The database appears under its name only when all is copied, so
 * that a service refuses an unfinished copy. The age of each file starts anew in the copy.
 */
export async function copyStore(source: Store, sourceFolder: string, targetFolder: string): Promise<CopyCounts> {
  await ensureFolder(targetFolder, 0o700);
  const file = databasePath(targetFolder);
  const temporary = unfinishedPath(targetFolder);
  const copy = await snapshotDatabase(source, temporary);
  let counts: CopyCounts;
  try {
    const sides = {
      source: { blobs: await openBlobStore(sourceFolder), files: createFiles(source) },
      target: { blobs: await openBlobStore(targetFolder), files: createFiles(copy) },
    };
    counts = await copyBlobs(sides.source, sides.target);
    await copyCredentials(sourceFolder, targetFolder);
    await writeFolderIdentity(path.join(targetFolder, 'store.json'), await createIdentity(copy).find());
    await writeAccountsFile(accountsPath(targetFolder), copy);
    await sql`pragma journal_mode = delete`.execute(copy); // leaves one file, which can be renamed
  } finally {
    await copy.destroy();
  }
  await syncToDisk(temporary);
  await rename(temporary, file);
  await syncToDisk(targetFolder);
  return counts;
}
