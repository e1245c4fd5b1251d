/** Notes how far an operation is, from time to time. */
export interface ProgressThrottle {
  report(progress: number): void;
  /** Resolves when no note is being written. */
  flush(): Promise<void>;
}

// Status records need no finer progress, and each note of it is written to the disk.
const MIN_INTERVAL_MS = 500;

/**
 * Calls `write` with a progress of 0..1, never twice at once and not more often than twice a second; the notes between are left out, and those of the
 * first half second, so that a short job costs no write.
 */
export function createProgressThrottle(
  write: (progress: number) => Promise<void>,
  now: () => number,
  onError: (error: unknown) => void,
): ProgressThrottle {
  let notedAt = now();
  let writing: Promise<void> = Promise.resolve();
  return {
    report(progress) {
      if (now() - notedAt < MIN_INTERVAL_MS) return;
      notedAt = now();
      writing = writing.then(() => write(Math.min(1, Math.max(0, progress)))).catch(onError);
    },
    flush: () => writing,
  };
}
