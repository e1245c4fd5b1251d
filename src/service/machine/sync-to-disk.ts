import { type FileHandle, open } from 'node:fs/promises';

/** Opens `file`, or answers `undefined` where it is a folder that this system cannot open (Windows). */
function openForSync(file: string): Promise<FileHandle | undefined> {
  return open(file, process.platform === 'win32' ? 'r+' : 'r').catch((error: unknown) => {
    if (process.platform === 'win32') return undefined;
    throw error;
  });
}

/**
 * Has the system write a file, or the names in a folder, to the disk. A new or renamed file survives a loss of power only when its folder
 * was synced too.
 */
export async function syncToDisk(file: string): Promise<void> {
  const handle = await openForSync(file);
  try {
    await handle?.sync();
  } finally {
    await handle?.close();
  }
}
