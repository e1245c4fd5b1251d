import { createRequire } from 'node:module';

/** Returns whether an optional package, which users install themselves, can be loaded from here. */
export function isPackageInstalled(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch {
    return false;
  }
}
