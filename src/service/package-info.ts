import { existsSync, readFileSync } from 'node:fs';

/** The fields of package.json that the program shows to its users. */
export interface PackageInfo {
  version: string;
  /** The address of the documentation. */
  homepage: string;
}

/** Finds the package.json of this package: the nearest one above this module, or above the bundle that contains it. */
function findPackageFile(): URL {
  let file = new URL('package.json', import.meta.url);
  while (!existsSync(file)) {
    const parent = new URL('../package.json', file);
    if (parent.href === file.href) throw new Error('Could not read package.json: it is missing.');
    file = parent;
  }
  return file;
}

/** Reads the package.json of this package. */
export function readPackageInfo(): PackageInfo {
  const { version, homepage }: PackageInfo = JSON.parse(readFileSync(findPackageFile(), 'utf8')); // our own package.json has both
  return { version, homepage };
}

/** Returns the path of a file of this package. */
export function findPackagePath(file: string): URL {
  return new URL(file, findPackageFile());
}

/** Reads the built viewer of this package, a module for pages. */
export function readViewerModule(): string {
  return readFileSync(findPackagePath('resources/viewer.js'), 'utf8');
}
