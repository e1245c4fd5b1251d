import { statfs } from 'node:fs/promises';

/** Bytes that an ordinary user may still write on the disk that holds `folder`. */
export async function freeSpace(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
