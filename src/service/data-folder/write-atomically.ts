import { open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { syncToDisk } from '../machine/sync-to-disk.js';

/**
 * Writes a small file, readable by its owner only. A reader sees either the old or the new content, never a part. The
 * file survives a power loss once this resolves.
 */
export async function writeAtomically(file: string, text: string): Promise<void> {
  const temporary = path.join(path.dirname(file), `.${path.basename(file)}.new`);
  await rm(temporary, { force: true }); // a leftover file may have another mode
  const handle = await open(temporary, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } catch (error) {
    await rm(temporary, { force: true }); // it would take space on a full disk
    throw error;
  } finally {
    await handle.close();
  }
  await rename(temporary, file);
  await syncToDisk(path.dirname(file));
}
