import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, type FileHandle, open, readdir, rename, rmdir, unlink } from 'node:fs/promises';
import { isMissing } from './is-missing.js';
import { codeOf } from './system-errors.js';

/** Runs `use` with the path of an open folder, which other processes cannot replace by a link meanwhile. Linux only. */
async function withFolder<T>(folder: Buffer, use: (openFolder: string) => Promise<T>): Promise<T> {
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
  let handle: FileHandle;
  try {
    handle = await open(folder, flags);
  } catch (error) {
    if (codeOf(error) !== 'EACCES') throw error;
    await chmod(folder, 0o700);
    handle = await open(folder, flags);
  }
  try {
    await handle.chmod(0o700);
    return await use(`/proc/self/fd/${handle.fd}`);
  } finally {
    await handle.close();
  }
}

function join(folder: string, name: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${folder}/`), name]);
}

function list(folder: string): Promise<Buffer[]> {
  return readdir(folder, { encoding: 'buffer' });
}

/** Deletes what is not a folder. Returns whether it is one. */
function unlinkUnlessFolder(file: Buffer): Promise<boolean> {
  return unlink(file).then(
    () => false,
    (error: unknown) => {
      if (codeOf(error) === 'EISDIR' || codeOf(error) === 'EPERM') return true;
      throw error;
    },
  );
}

/** Moves the folders in `folder` up to `root` and deletes everything else in it, then the folder itself. */
async function dissolve(root: string, folder: Buffer): Promise<void> {
  await withFolder(folder, async (open) => {
    for (const name of await list(open)) {
      const entry = join(open, name);
      if (!(await unlinkUnlessFolder(entry))) continue;
      await withFolder(entry, async () => undefined); // one that may not be written cannot be moved
      await rename(entry, `${root}/${randomUUID()}`);
    }
  });
  await rmdir(folder);
}

/**
 * Deletes a folder with everything in it, if it exists. Its content may come from a hostile process that still runs: links are
 * not followed, folders may be nested without end or closed to their owner, and names may be no UTF-8. Linux only.
 */
export async function removeTree(folder: string): Promise<void> {
  try {
    await withFolder(Buffer.from(folder), async (root) => {
      for (let names = await list(root); names.length > 0; names = await list(root)) {
        for (const name of names)
          if (await unlinkUnlessFolder(join(root, name))) await dissolve(root, join(root, name));
      }
    });
    await rmdir(folder);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/** Deletes a file or, as `removeTree`, a folder, if it exists. */
export async function removeFileOrTree(file: string): Promise<void> {
  try {
    if (await unlinkUnlessFolder(Buffer.from(file))) await removeTree(file);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}
