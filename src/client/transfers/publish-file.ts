import { link, lstat, open, rename, unlink } from 'node:fs/promises';
import path from 'node:path';
import { ClientError } from '../client-error.js';
import { numberedName } from './safe-filename.js';
import { toWriteError } from './write-error.js';

/** What happens to a file that has the name already: it stays and the new one is numbered; it goes; it is an error. */
export type ConflictPolicy = 'rename' | 'overwrite' | 'fail';

const MAX_NUMBER = 10_000;
/** File systems without hard links (FAT, some network shares) answer with one of these. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EXDEV', 'EINVAL']);

/** Moves a whole part to its name in the same folder, and returns its path. No moment shows half a file or loses another's. */
export async function publishFile(
  part: string,
  folder: string,
  filename: string,
  exists: ConflictPolicy,
): Promise<string> {
  try {
    if (exists === 'overwrite') return await replaceFile(part, path.join(folder, filename));
    for (let number = 1; number <= MAX_NUMBER; number += 1) {
      const target = path.join(folder, number === 1 ? filename : numberedName(filename, number));
      if (await moveIfFree(part, target)) return target;
      if (exists === 'fail') throw existsError(target);
    }
    throw existsError(path.join(folder, filename));
  } catch (error) {
    throw toWriteError(error, path.join(folder, filename));
  }
}

/** Is the name taken already? `FILE_EXISTS` then, before any byte is fetched. */
export async function assertNameFree(folder: string, filename: string): Promise<void> {
  const target = path.join(folder, filename);
  const isTaken = await lstat(target).then(
    () => true,
    () => false,
  );
  if (isTaken) throw existsError(target);
}

/** Takes as long as the deletion of the old file would, which is the file system's own time: some 0.25 ms per MB on ext4. */
async function replaceFile(part: string, target: string): Promise<string> {
  await rename(part, target);
  return target;
}

/** A link is made or refused in one step, so of two who want a name one gets it. */
async function moveIfFree(part: string, target: string): Promise<boolean> {
  try {
    await link(part, target);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code === 'EEXIST') return false;
    if (NO_LINKS.has(code)) return claimName(part, target);
    throw error;
  }
  await unlink(part);
  return true;
}

/** Takes the name with an empty file of our own, and then moves the part over that. */
async function claimName(part: string, target: string): Promise<boolean> {
  try {
    await (await open(target, 'wx')).close();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
  await rename(part, target);
  return true;
}

function existsError(target: string): ClientError {
  return new ClientError('FILE_EXISTS', `Could not write ${target}: there is a file of that name.`);
}
