import { type FileHandle, open } from 'node:fs/promises';

/** Opens `file`, or returns `undefined` if it is a folder on Windows, which cannot be opened. */
function openForSync(file: string): Promise<FileHandle | undefined> {
  return open(file, process.platform === 'win32' ? 'r+' : 'r').catch((error: unknown) => {
    if (process.platform === 'win32') return undefined;
    throw error;
  });
}

/**
 * Syncs a file, or the directory entries of a folder, to the disk (fsync). A new or renamed file survives a power loss
 * only if its folder was synced too.
 */
export async function syncToDisk(file: string): Promise<void> {
  const handle = await openForSync(file);
  try {
    await handle?.sync();
  } finally {
    await handle?.close();
  }
}
