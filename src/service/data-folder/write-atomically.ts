import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { syncToDisk, writeAndSync } from '../machine/sync-to-disk.js';

/**
 * Writes a small file, readable by its owner only. A reader sees either the old or the new content, never a part. The
 * file survives a power loss once this resolves.
 */
export async function writeAtomically(file: string, text: string): Promise<void> {
  const temporary = path.join(path.dirname(file), `.${path.basename(file)}.new`);
  await rm(temporary, { force: true }); // a leftover file may have another mode
  try {
    await writeAndSync(temporary, text);
  } catch (error) {
    await rm(temporary, { force: true }); // it would take space on a full disk
    throw error;
  }
  await rename(temporary, file);
  await syncToDisk(path.dirname(file));
}
