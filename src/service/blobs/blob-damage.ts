/** Thrown when a blob has other bytes than were stored. */
export class BlobDamagedError extends Error {
  override readonly name = 'BlobDamagedError';
}

/** Returns whether a read failed because the blob is missing, unreadable on the disk, or altered. */
export function isBlobDamaged(error: unknown): boolean {
  if (error instanceof BlobDamagedError) return true;
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'EIO');
}
