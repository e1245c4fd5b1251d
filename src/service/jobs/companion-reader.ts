import { readdirSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { type ReadCompanion, resolveCompanionPaths } from '../../mesh/formats/reading/companion-path.js';
import { NameIndex } from '../../mesh/formats/reading/name-index.js';
import { readFileFully } from './whole-files.js';

/**
 * Creates a function that reads the files that a model references, from `folder` and the folders below it only.
 * Absolute paths, URLs, paths that leave the folder, also by symbolic links, and what is not a regular file are not
 * available. A file that does not exist is searched as by `NameIndex`.
 */
export function createCompanionReader(folder: string): ReadCompanion {
  return (reference) => {
    const paths = resolveCompanionPaths('', reference);
    const find = (locate: (relativePath: string) => string | undefined): string | undefined =>
      paths.map(locate).find((file) => file !== undefined);
    const file =
      find((relativePath) => findInside(folder, relativePath)) ??
      find((relativePath) => findInside(folder, findSpelling(folder, relativePath)));
    return file === undefined ? undefined : readFileFully(file);
  };
}

/** Returns the path without symbolic links if it leads to a regular file in the folder, or `undefined`. */
function findInside(folder: string, relativePath: string | undefined): string | undefined {
  if (relativePath === undefined) return undefined;
  try {
    const file = realpathSync(path.join(folder, relativePath));
    const isInside = file.startsWith(path.join(realpathSync(folder), path.sep));
    return isInside && statSync(file).isFile() ? file : undefined;
  } catch {
    return undefined; // it does not exist, or may not be read
  }
}

/** Returns a relative path in the spelling of the file system, or `undefined` if a folder cannot be listed. */
function findSpelling(folder: string, relativePath: string): string | undefined {
  let spelling = '';
  for (const segment of relativePath.split('/')) {
    const name = findName(path.join(folder, spelling), segment);
    if (name === undefined) return undefined;
    spelling = path.join(spelling, name);
  }
  return spelling;
}

function findName(folder: string, segment: string): string | undefined {
  try {
    return new NameIndex(readdirSync(folder).map((name) => [name, name] as const)).find(segment);
  } catch {
    return undefined; // it does not exist, or may not be read
  }
}
