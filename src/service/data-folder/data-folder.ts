import { existsSync } from 'node:fs';
import path from 'node:path';
import { ensureFolder } from '../machine/ensure-folder.js';
import { StartError } from '../start-error.js';
import { openReadOnly } from '../store/open-connection.js';
import { explainFolderError } from './explain-folder-error.js';
import { isLockedError, LOCK_NAME, lockFolder } from './lock-folder.js';

/** Returns the path of the database in a data folder. */
export function databasePath(folder: string): string {
  return path.join(folder, 'service.db');
}

/** Returns the path of the database in a folder into which a store is copied, until all is copied. */
export function unfinishedPath(folder: string): string {
  return `${databasePath(folder)}.part`;
}

/** Returns the path of the copy of the users and clients in a data folder. */
export function accountsPath(folder: string): string {
  return path.join(folder, 'accounts.json');
}

/** The paths of the files in a data folder. */
export interface DataFolderPaths {
  folder: string;
  storeFile: string;
  /** A recovered store, until it replaces the other one. */
  recoveredFile: string;
  /** The copy of the store identity. */
  identityFile: string;
  accountsFile: string;
  credentialsFile: string;
}

/** Returns the paths of the files in a data folder. */
export function pathsOf(folder: string): DataFolderPaths {
  return {
    folder,
    storeFile: databasePath(folder),
    recoveredFile: `${databasePath(folder)}.recovered`,
    identityFile: path.join(folder, 'store.json'),
    accountsFile: accountsPath(folder),
    credentialsFile: path.join(folder, 'credentials.json'),
  };
}

/** A data folder that this process has locked. */
export interface DataFolder extends DataFolderPaths {
  /** Unlocks the folder. */
  release(): void;
}

/** Throws `FOLDER_LOCKED` if a process has locked a data folder. Writes nothing to it. */
export async function refuseLocked(folder: string): Promise<void> {
  const file = path.join(folder, LOCK_NAME);
  if (!existsSync(file)) return;
  const lock = await openReadOnly(file, 0);
  try {
    lock.prepare('select count(*) from sqlite_schema').get();
  } catch (error) {
    if (!isLockedError(error)) throw error;
    throw new StartError('FOLDER_LOCKED', `A service is using the data folder ${folder}. Stop it.`, { cause: error });
  } finally {
    lock.close();
  }
}

/**
 * Creates a data folder if it is missing, and locks it by `lockFolder`. Throws `FOLDER_LOCKED` if another process has the
 * lock, `FOLDER_UNUSABLE` or `DISK_FULL`.
 */
export async function openDataFolder(folder: string): Promise<DataFolder> {
  const reason = `The data folder ${folder} is in use by another service`;
  try {
    await ensureFolder(path.resolve(folder), 0o700);
    const release = await lockFolder(folder, `${reason}. Stop it, or choose another folder with --data.`);
    return { ...pathsOf(folder), release };
  } catch (error) {
    throw await explainFolderError(error, folder);
  }
}
