import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { syncToDisk } from './sync-to-disk.js';

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

async function isFolder(file: string): Promise<boolean> {
  return (await stat(file).catch(() => undefined))?.isDirectory() === true;
}

/**
 * Makes a folder, and those above it where they are missing, and puts their names onto the disk. One that stands there already stays as it is.
 * Throws what the system refuses with. Node's own recursive `mkdir` is not used: where a file system takes no folders, as /proc does, it
 * never returns.
 */
export async function ensureFolder(folder: string, mode = 0o777): Promise<void> {
  try {
    await mkdir(folder, { mode });
  } catch (error) {
    if (await isFolder(folder)) return;
    const parent = path.dirname(folder);
    if (codeOf(error) !== 'ENOENT' || parent === folder || (await isFolder(parent))) throw error;
    await ensureFolder(parent, mode);
    await mkdir(folder, { mode });
  }
  await syncToDisk(path.dirname(folder)).catch(() => undefined); // we may write in it but not read it: the system syncs it in its own time
}
