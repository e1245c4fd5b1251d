import { copyFile, link, mkdir, rename } from 'node:fs/promises';
import path from 'node:path';
import type { DataFolder } from '../data-folder/data-folder.js';
import { writeFolderIdentity } from '../data-folder/folder-identity.js';
import { isMissing } from '../machine/is-missing.js';
import { syncToDisk } from '../machine/sync-to-disk.js';
import type { IdentityRow } from '../store/schema.js';

function ignoreMissing(error: unknown): void {
  if (!isMissing(error)) throw error;
}

/** Makes a file appear under a second name, as a hard link or, where the file system has none, as a copy. */
async function linkOrCopy(file: string, target: string): Promise<void> {
  await link(file, target)
    .catch(() => copyFile(file, target))
    .catch(ignoreMissing);
  await syncToDisk(target).catch(ignoreMissing);
}

/**
 * Replaces the database of a folder by `recoveredFile`, whose identity is `identity`, and keeps the old one and its
 * write-ahead log in quarantine. Resolves with the path of the old one.
 *
 * After a crash either nothing has changed, or a start refuses the database and the call can be repeated:
 * 1. The old database appears in quarantine too.
 * 2. `store.json` gets the new generation. From then on a start refuses the old database as older.
 * 3. The logs are moved, so that they are not replayed into the new database.
 * 4. The new database replaces the old one.
 */
export async function replaceDatabase(
  { folder, storeFile, identityFile, recoveredFile }: DataFolder,
  identity: IdentityRow,
  now: number,
): Promise<string> {
  const quarantine = path.join(folder, 'quarantine');
  const time = new Date(now).toISOString().replaceAll(/[:.]/g, '-');
  const oldDatabaseFile = path.join(quarantine, `service-before-recovery-${time}.db`);
  await mkdir(quarantine, { recursive: true, mode: 0o700 });
  await linkOrCopy(storeFile, oldDatabaseFile);
  await syncToDisk(quarantine);
  await writeFolderIdentity(identityFile, identity); // syncs the folder
  for (const suffix of ['-wal', '-shm', '-journal'])
    await rename(storeFile + suffix, oldDatabaseFile + suffix).catch(ignoreMissing);
  await syncToDisk(quarantine);
  await syncToDisk(folder);
  await rename(recoveredFile, storeFile);
  await syncToDisk(folder);
  return oldDatabaseFile;
}
