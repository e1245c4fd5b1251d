import { createRequire } from 'node:module';

/** Whether a package can be loaded from here: one that users add by themselves. */
export function isPackageInstalled(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch {
    return false;
  }
}
