import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { sync } from './machine/sync.js';
import { StartError } from './start-error.js';
import { openConnection } from './store/native.js';

/** The database of a data folder. */
export const storeFileOf = (folder: string): string => path.join(folder, 'service.db');

/** A folder that this process, and no other, works in. */
export interface DataFolder {
  folder: string;
  storeFile: string;
  credentialsFile: string;
  /** Gives the folder free. */
  release(): void;
}

/** Puts the names of `folder` and of those above it, down from the first that was made, onto the disk. */
const syncDownTo = async (folder: string, made: string): Promise<void> => {
  const first = path.resolve(made);
  for (let one = path.resolve(folder); one.length >= first.length; one = path.dirname(one)) {
    await sync(path.dirname(one)).catch(() => undefined); // one that we may write in but not read: the system writes it in its own time
  }
};

/**
 * Makes the folder if needed and locks it: `lock.db` stays in an exclusive transaction, which the system ends with the process, however
 * that ends. Another process has it: `FOLDER_LOCKED`.
 */
export const openDataFolder = async (folder: string): Promise<DataFolder> => {
  const made = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (made) await syncDownTo(folder, made);
  const lock = await openConnection(path.join(folder, 'lock.db'), 0);
  try {
    lock.exec('begin exclusive');
  } catch (error) {
    lock.close();
    if (error instanceof Error && 'code' in error && error.code === 'SQLITE_BUSY') {
      const message = `the data folder ${folder} is in use by another service: stop that one, or name another folder with --data`;
      throw new StartError('FOLDER_LOCKED', message, { cause: error });
    }
    throw error;
  }
  return {
    folder,
    storeFile: storeFileOf(folder),
    credentialsFile: path.join(folder, 'credentials.json'),
    release: () => lock.close(),
  };
};
