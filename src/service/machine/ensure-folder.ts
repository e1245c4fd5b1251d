import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { isMissing } from './is-missing.js';
import { syncToDisk } from './sync-to-disk.js';

async function isFolder(file: string): Promise<boolean> {
  return (await stat(file).catch(() => undefined))?.isDirectory() === true;
}

/**
 * Creates a folder and its missing parents, and syncs their directory entries. An existing folder stays unchanged.
 * Throws the system's error. Node's recursive `mkdir` is not used, because it never returns on file systems that refuse
 * folders, such as /proc.
 */
export async function ensureFolder(folder: string, mode = 0o777): Promise<void> {
  try {
    await mkdir(folder, { mode });
  } catch (error) {
    if (await isFolder(folder)) return;
    const parent = path.dirname(folder);
    if (!isMissing(error) || parent === folder || (await isFolder(parent))) throw error;
    await ensureFolder(parent, mode);
    await mkdir(folder, { mode });
  }
  // A parent without read permission cannot be synced: the system writes it later.
  await syncToDisk(path.dirname(folder)).catch(() => undefined);
}
