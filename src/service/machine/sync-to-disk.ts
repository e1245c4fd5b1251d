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

/** Writes a file that only its owner can read, and syncs its bytes to the disk, but not its folder. */
export async function writeAndSync(file: string, text: string): Promise<void> {
  const handle = await open(file, 'w', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
