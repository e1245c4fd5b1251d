import { delay } from '../machine/delay.js';
import type { Fault, FaultName } from './parse-faults.js';

/** The faults to inject, for testing how flows handle errors. */
export interface FaultPlan {
  /** Counts one event for the faults with this name, and returns the fault to inject into it, if there is one. */
  take<N extends FaultName>(name: N, matches?: (fault: Fault<N>) => boolean): Fault<N> | undefined;
  /** Adds faults. They count events from now on. */
  add(list: readonly Fault[]): void;
  /** Waits. Replaced in tests. */
  pause: typeof delay;
}

function isExhausted({
  fault: { at: firstMatch = 1, times = 1 },
  matchCount,
}: {
  fault: Fault;
  matchCount: number;
}): boolean {
  return matchCount + 1 >= firstMatch + times;
}

/** Creates a fault plan from a list. Each fault counts its own events. `pause` defaults to a timer. */
export function createFaultPlan(list: readonly Fault[], pause = delay): FaultPlan {
  let entries: { fault: Fault; matchCount: number }[] = [];
  const add = (more: readonly Fault[]): void => {
    entries = [...entries.filter((entry) => !isExhausted(entry)), ...more.map((fault) => ({ fault, matchCount: 0 }))];
  };
  add(list);
  return {
    add,
    pause,
    take<N extends FaultName>(name: N, matches: (fault: Fault<N>) => boolean = () => true): Fault<N> | undefined {
      let match: Fault<N> | undefined;
      for (const entry of entries) {
        if (entry.fault.fault !== name) continue;
        const fault = entry.fault as Fault<N>; // its name was just compared
        if (!matches(fault)) continue;
        entry.matchCount += 1;
        const { at: firstMatch = 1, times = 1 } = fault;
        if (entry.matchCount >= firstMatch && entry.matchCount < firstMatch + times) match ??= fault;
      }
      return match;
    },
  };
}
