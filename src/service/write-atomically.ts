import { open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { syncToDisk } from './machine/sync-to-disk.js';

/** Writes a small file that only its owner may read. It is whole at any moment, and survives a loss of power once this resolves. */
export async function writeAtomically(file: string, text: string): Promise<void> {
  const temporary = path.join(path.dirname(file), `.${path.basename(file)}.new`);
  await rm(temporary, { force: true }); // one that was left there may have another mode
  const handle = await open(temporary, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temporary, file);
  await syncToDisk(path.dirname(file));
}
