import { realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { type ReadCompanion, resolveCompanionPath } from '../../mesh/formats/reading/companion-path.js';
import { readFileFully } from './whole-files.js';

/**
 * Creates a function that reads the files that a model references, from `folder` and the folders below it only.
 * Absolute paths, URLs, paths that leave the folder, also by symbolic links, and what is not a regular file are not
 * available.
 */
export function createCompanionReader(folder: string): ReadCompanion {
  return (reference) => {
    const relativePath = resolveCompanionPath('', reference);
    const file = relativePath === undefined ? undefined : findInside(folder, relativePath);
    return file === undefined ? undefined : readFileFully(file);
  };
}

/** Returns the path without symbolic links if it leads to a regular file in the folder, or `undefined`. */
function findInside(folder: string, relativePath: string): string | undefined {
  try {
    const file = realpathSync(path.join(folder, relativePath));
    const isInside = file.startsWith(path.join(realpathSync(folder), path.sep));
    return isInside && statSync(file).isFile() ? file : undefined;
  } catch {
    return undefined; // it does not exist, or may not be read
  }
}
