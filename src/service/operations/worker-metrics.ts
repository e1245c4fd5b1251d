/** A claim of an operation, as the metrics count it. */
export interface CountedClaim {
  /** Whether an earlier claim ended with its process, or was lost. */
  isRepeated: boolean;
  /** The time since the start of the operation. */
  waitMs: number;
  /** The duration of the claim itself. */
  claimMs: number;
}

/** What a worker counts. */
export interface WorkerMetrics {
  countClaim(claim: CountedClaim): void;
  /** Counts a completion that was refused because the claim was lost. */
  countFencedCompletion(): void;
  /** Sets how many operations only store their outputs, and have left their slots to others. */
  setStoringCount(count: number): void;
}
