/** Stores the progress of an operation at a limited rate. */
export interface ProgressThrottle {
  /** Reports a progress of 0..1; values outside are clamped. */
  report(progress: number): void;
  /** Resolves when no write is in progress. */
  flush(): Promise<void>;
}

// Each update is written to the disk, and status records need no finer progress.
const MIN_INTERVAL_MS = 500;

/**
 * Creates a throttle that calls `write` with a progress of 0..1 at most every 500 ms and never concurrently. Reports in
 * between are dropped, as are those of the first 500 ms, so that short jobs cause no write.
 */
export function createProgressThrottle(
  write: (progress: number) => Promise<void>,
  now: () => number,
  onError: (error: unknown) => void,
): ProgressThrottle {
  let reportedAt = now();
  let writing: Promise<void> = Promise.resolve();
  return {
    report(progress) {
      if (now() - reportedAt < MIN_INTERVAL_MS) return;
      reportedAt = now();
      writing = writing.then(() => write(Math.min(1, Math.max(0, progress)))).catch(onError);
    },
    flush: () => writing,
  };
}
