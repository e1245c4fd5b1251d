import { delay } from '../machine/delay.js';
import { ServiceError, type ServiceErrorCode } from '../service-error.js';

// Longer than the restart of an object storage. If an operation failed earlier, so would the next ones.
const DEADLINE_MS = 15 * 60 * 1000;
const MS_PER_S = 1000;

// The rows of the objects are in the database.
const UNAVAILABLE = new Set<ServiceErrorCode>(['STORAGE_UNAVAILABLE', 'DATABASE_UNAVAILABLE']);

/**
 * Calls `access` until the object storage and the database are available, for up to 15 min. Resolves with its result.
 * Throws its error, or the abort reason of `signal`.
 */
export async function waitForStorage<T>(
  access: () => Promise<T>,
  signal: AbortSignal,
  deadlineMs = DEADLINE_MS,
): Promise<T> {
  const deadline = performance.now() + deadlineMs;
  for (;;) {
    try {
      return await access();
    } catch (error) {
      const isUnavailable = error instanceof ServiceError && UNAVAILABLE.has(error.code);
      if (!isUnavailable || performance.now() > deadline) throw error;
      await delay((error.retryAfterS ?? 1) * MS_PER_S, signal);
      signal.throwIfAborted();
    }
  }
}
