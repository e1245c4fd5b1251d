import path from 'node:path';
import { ensureFolder } from './machine/ensure-folder.js';
import { StartError } from './start-error.js';
import { openConnection } from './store/open-connection.js';

/** The database of a data folder. */
export function databasePath(folder: string): string {
  return path.join(folder, 'service.db');
}

/** A folder that this process, and no other, works in. */
export interface DataFolder {
  folder: string;
  storeFile: string;
  credentialsFile: string;
  /** Gives the folder free. */
  release(): void;
}

/**
 * Makes the folder if needed and locks it: `lock.db` stays in an exclusive transaction, which the system ends with the process, however
 * that ends. Another process has it: `FOLDER_LOCKED`.
 */
export async function openDataFolder(folder: string): Promise<DataFolder> {
  await ensureFolder(path.resolve(folder), 0o700);
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
    storeFile: databasePath(folder),
    credentialsFile: path.join(folder, 'credentials.json'),
    release: () => lock.close(),
  };
}
