import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';

/**
 * Makes a folder, and those above it where they are missing. Throws what the system refuses with. Node's own recursive `mkdir` is not
 * used: where a file system takes no folders, as /proc does, it never returns.
 */
export async function ensureFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (error) {
    if (await isFolder(folder)) return;
    const parent = path.dirname(folder);
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (!isMissing || parent === folder || (await isFolder(parent))) throw error;
    await ensureFolder(parent);
    await mkdir(folder).catch(async (second: unknown) => {
      // Another download may have made it meanwhile.
      if (!(await isFolder(folder))) throw second;
    });
  }
}

async function isFolder(file: string): Promise<boolean> {
  const match = await stat(file).catch(() => undefined);
  return match?.isDirectory() === true;
}
