/**
 * Counts the work of a step against a limit, so that its duration is bounded and its result does not depend on the speed
 * of the machine. One unit is the test of a pair of triangles, on average less than a microsecond.
 */
export interface WorkCounter {
  /** Adds units. Returns false once their sum exceeds the limit. */
  add(units: number): boolean;
  /** The units that are left, at least 0. */
  remaining(): number;
  /** Whether the sum exceeds the limit. */
  isExceeded(): boolean;
}

/** Creates a counter. Default: without a limit. */
export function createWorkCounter(limit = Number.POSITIVE_INFINITY): WorkCounter {
  let remaining = limit;
  return {
    add(units) {
      remaining -= units;
      return remaining >= 0;
    },
    remaining: () => Math.max(0, remaining),
    isExceeded: () => remaining < 0,
  };
}
