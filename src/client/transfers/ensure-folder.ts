import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';

/**
 * Creates a folder and its missing parents. Does nothing if the folder exists. Throws the error of the operating
 * system. Does not use the recursive `mkdir` of Node.js: it never returns for file systems without folders, such as
 * /proc.
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
      // Another download may have created it meanwhile.
      if (!(await isFolder(folder))) throw second;
    });
  }
}

async function isFolder(file: string): Promise<boolean> {
  const stats = await stat(file).catch(() => undefined);
  return stats?.isDirectory() === true;
}
