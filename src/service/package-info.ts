import { existsSync, readFileSync } from 'node:fs';

/** The fields of package.json that the program shows to its users. */
export interface PackageInfo {
  version: string;
  /** The address of the documentation. */
  homepage: string;
}

/** Reads the package.json of this package: the nearest one above this module, or above the bundle that contains it. */
export function readPackageInfo(): PackageInfo {
  let file = new URL('package.json', import.meta.url);
  while (!existsSync(file)) {
    const parent = new URL('../package.json', file);
    if (parent.href === file.href) throw new Error('Could not read package.json: it is missing.');
    file = parent;
  }
  const { version, homepage }: PackageInfo = JSON.parse(readFileSync(file, 'utf8')); // our own package.json has both
  return { version, homepage };
}
