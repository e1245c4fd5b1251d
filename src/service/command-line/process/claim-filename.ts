import { open } from 'node:fs/promises';
import path from 'node:path';
import { codeOf } from '../../machine/system-errors.js';

const MAX_SUFFIX = 10_000;

/**
 * Claims an unused filename by creating an empty file: `preferred`, or `name-2.ext`, `name-3.ext` … if it exists.
 * Concurrent callers get different names, because the file is created exclusively.
 */
export async function claimFilename(preferred: string): Promise<string> {
  const { dir, name, ext } = path.parse(preferred);
  for (let suffix = 1; suffix < MAX_SUFFIX; suffix++) {
    const file = suffix === 1 ? preferred : path.join(dir, `${name}-${suffix}${ext}`);
    try {
      await (await open(file, 'wx')).close();
      return file;
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
  }
  throw new Error(`Could not create ${preferred}: all names up to suffix -${MAX_SUFFIX - 1} exist.`);
}
