import os from 'node:os';
import path from 'node:path';

/**
 * Replaces `~` at the start of a path by the home folder, where the shell does not: after `=`, in quotes, and in
 * environment variables. `~name` and `~file.stl` are left unchanged.
 */
export function expandHome(file: string, home: string = os.homedir()): string {
  const isBelowHome = file === '~' || file.startsWith('~/') || file.startsWith(`~${path.sep}`);
  return isBelowHome ? path.join(home, file.slice(1)) : file;
}

/** Returns whether a text is a URL. The scheme has at least two letters: `C://` is a Windows path. */
export function isUrl(text: string): boolean {
  return /^[a-z][a-z\d+.-]+:\/\//i.test(text.trim());
}
