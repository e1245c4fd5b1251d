import type { Logger } from '../logger.js';
import { isDiskFull } from '../service-error.js';
import { delay } from './delay.js';

/** Runs work that a full disk must not prevent from going on. */
export interface DiskFullRetries {
  /**
   * Runs `work`. If it fails because the disk is full, logs `message`, resolves, and runs it again in the background
   * until it succeeds. Throws every other error of the first run.
   */
  run(work: () => Promise<void>, message: string): Promise<void>;
  /** Ends the retries. */
  close(): Promise<void>;
}

/** Creates the retries, `delayMs` apart. */
export function createDiskFullRetries({ delayMs, logger }: { delayMs: number; logger: Logger }): DiskFullRetries {
  const closing = new AbortController();
  const pending: Promise<void>[] = [];

  const retry = async (work: () => Promise<void>): Promise<void> => {
    while (!closing.signal.aborted) {
      await delay(delayMs, closing.signal);
      try {
        if (!closing.signal.aborted) return await work();
      } catch (err) {
        if (isDiskFull(err)) continue;
        logger.error({ err }, 'Could not repeat what failed on a full disk');
        return;
      }
    }
  };

  return {
    async run(work, message) {
      try {
        await work();
      } catch (err) {
        if (!isDiskFull(err)) throw err;
        logger.warn({ err }, message);
        pending.push(retry(work));
      }
    },

    async close() {
      closing.abort();
      await Promise.all(pending);
    },
  };
}
