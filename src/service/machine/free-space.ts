import { statfs } from 'node:fs/promises';

/** Returns the free bytes for unprivileged users on the disk that holds `folder`. */
export async function freeSpace(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
