import { chmod, lstat, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { PART_NAME } from '../blobs/blob-folder.js';
import type { Logger } from '../logger.js';
import { isMissing } from '../machine/is-missing.js';

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
const OTHERS = 0o077;

/** The files directly in a data folder that the service writes. */
const FILE_NAME =
  /^(?:service\.db(?:\.(?:v\d+|recovered|part))?(?:-(?:wal|shm|journal))?|lock\.db(?:-journal)?|(?:store|accounts|credentials)\.json|spare)$/;

/** Takes the permissions of everybody but the owner. Resolves without an error if the file is missing by now. */
async function restrict(file: string, info: { mode: number }, mode: number): Promise<void> {
  if ((info.mode & OTHERS) === 0) return;
  await chmod(file, mode).catch((error: unknown) => {
    if (!isMissing(error)) throw error;
  });
}

/**
 * Makes a folder accessible to its owner only, with all that is in it. Resolves with the names in it; none if it does
 * not exist. Throws the system's error.
 */
async function restrictFolder(folder: string): Promise<string[]> {
  const info = await stat(folder).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  if (!info?.isDirectory()) return [];
  if (process.platform !== 'win32') await restrict(folder, info, FOLDER_MODE);
  return readdir(folder);
}

/** Restricts a file, but not what a symbolic link leads to. */
async function restrictFile(file: string): Promise<void> {
  const info = await lstat(file).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  if (info?.isFile()) await restrict(file, info, FILE_MODE);
}

/**
 * Makes a data folder accessible to its owner only (0700), with the folders and files that the service creates directly in
 * it (0600), and the folders of the stored files. Whatever modes those files have, nobody else reaches them, so they
 * need not be read one by one. Other files and folders stay as they are. Does nothing on Windows. An error, as of file
 * systems without permissions, is logged as a warning.
 */
export async function restrictPermissions(folder: string, logger: Logger): Promise<void> {
  if (process.platform === 'win32') return;
  try {
    const names = await restrictFolder(folder);
    for (const name of names) if (FILE_NAME.test(name)) await restrictFile(path.join(folder, name));
    for (const name of ['temp', 'quarantine']) await restrictFolder(path.join(folder, name));
    const blobs = path.join(folder, 'blobs');
    for (const name of await restrictFolder(blobs)) {
      if (PART_NAME.test(name)) await restrictFolder(path.join(blobs, name));
    }
  } catch (err) {
    logger.warn({ err, folder }, 'Could not restrict the permissions of the data folder: others may read it');
  }
}
