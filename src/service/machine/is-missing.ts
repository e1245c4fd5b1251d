import { codeOf } from './system-errors.js';

/** Returns whether an access failed because the file or folder does not exist (ENOENT). */
export function isMissing(error: unknown): boolean {
  return codeOf(error) === 'ENOENT';
}
