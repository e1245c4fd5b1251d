import { ServiceError } from '../service-error.js';

/** Returns a function that releases the slot. Throws `TOO_MANY_UPLOADS`. */
export type UploadSlots = (userId: string) => () => void;

// The connection of an upload that ends makes room at once.
const RETRY_AFTER_S = 1;

/**
 * Limits the uploads of a user that are received at the same time. An upload may take any time for its body, so that
 * one user could otherwise hold all connections.
 */
export function createUploadSlots(maxPerUser: number): UploadSlots {
  const counts = new Map<string, number>();
  return (userId) => {
    const count = counts.get(userId) ?? 0;
    if (count >= maxPerUser) {
      throw new ServiceError(
        'TOO_MANY_UPLOADS',
        `Too many uploads: ${maxPerUser} of this user are being received. Retry later, or send fewer at a time.`,
        { retryAfterS: RETRY_AFTER_S },
      );
    }
    counts.set(userId, count + 1);
    return () => {
      const remaining = (counts.get(userId) ?? 0) - 1;
      if (remaining > 0) counts.set(userId, remaining);
      else counts.delete(userId);
    };
  };
}
