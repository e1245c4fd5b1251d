import { isMissing } from '../machine/is-missing.js';
import { codeOf } from '../machine/system-errors.js';

/** Thrown when a blob has other bytes than were stored. */
export class BlobDamagedError extends Error {
  override readonly name = 'BlobDamagedError';
}

/** Returns whether the disk could not read a file, as from a bad sector. */
export function isUnreadable(error: unknown): boolean {
  return codeOf(error) === 'EIO';
}

/** Returns whether a read failed because the blob is missing, unreadable on the disk, or altered. */
export function isBlobDamaged(error: unknown): boolean {
  return error instanceof BlobDamagedError || isUnreadable(error) || isMissing(error);
}
