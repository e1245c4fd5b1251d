import type { ServiceError } from '../service-error.js';

/** Returns a function that releases the slot. Throws if the user has no free slot. */
export type UserSlots = (userId: string) => () => void;

/**
 * Limits how many requests of a user are served at the same time. For requests that may take any time, by which one user
 * could otherwise hold all connections. `createError`: the error for a further request.
 */
export function createUserSlots(maxPerUser: number, createError: () => ServiceError): UserSlots {
  const counts = new Map<string, number>();
  return (userId) => {
    const count = counts.get(userId) ?? 0;
    if (count >= maxPerUser) throw createError();
    counts.set(userId, count + 1);
    return () => {
      const remaining = (counts.get(userId) ?? 0) - 1;
      if (remaining > 0) counts.set(userId, remaining);
      else counts.delete(userId);
    };
  };
}
