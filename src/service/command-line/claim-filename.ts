import { open } from 'node:fs/promises';
import path from 'node:path';

const MAX_SUFFIX = 10_000;

/**
 * Claims an unused filename by creating an empty file: `wanted`, or `name-2.ext`, `name-3.ext` … if it exists.
 * Concurrent callers get different names, because the file is created exclusively.
 */
export async function claimFilename(wanted: string): Promise<string> {
  const { dir, name, ext } = path.parse(wanted);
  for (let number = 1; number < MAX_SUFFIX; number++) {
    const file = number === 1 ? wanted : path.join(dir, `${name}-${number}${ext}`);
    try {
      await (await open(file, 'wx')).close();
      return file;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
  }
  throw new Error(`Could not create ${wanted}: all names up to suffix -${MAX_SUFFIX - 1} exist.`);
}
