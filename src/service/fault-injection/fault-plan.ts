import { delay as realPause } from '../machine/delay.js';
import type { Fault, FaultName } from './parse-faults.js';

/** Says what is to go wrong next, for people who test how their flows bear it. */
export interface FaultPlan {
  /** The fault of this name that befalls what happens now, if one does. Each call counts as one thing that happens. */
  take<N extends FaultName>(name: N, matches?: (fault: Fault<N>) => boolean): Fault<N> | undefined;
  /** Has more go wrong, as if it had stood in the list from now on. */
  add(list: readonly Fault[]): void;
  pause: typeof realPause;
}

function isExhausted({ fault: { at: offset = 1, times = 1 }, seen }: { fault: Fault; seen: number }): boolean {
  return seen + 1 >= offset + times;
}

/** Counts what happens, by each fault's own count. `pause` default: the clock's. */
export function createFaultPlan(list: readonly Fault[], pause = realPause): FaultPlan {
  let entries: { fault: Fault; seen: number }[] = [];
  const add = (more: readonly Fault[]): void => {
    entries = [...entries.filter((entry) => !isExhausted(entry)), ...more.map((fault) => ({ fault, seen: 0 }))];
  };
  add(list);
  return {
    add,
    pause,
    take<N extends FaultName>(name: N, matches: (fault: Fault<N>) => boolean = () => true): Fault<N> | undefined {
      let match: Fault<N> | undefined;
      for (const entry of entries) {
        if (entry.fault.fault !== name) continue;
        const fault = entry.fault as Fault<N>; // it has that name
        if (!matches(fault)) continue;
        entry.seen += 1;
        const { at: offset = 1, times = 1 } = fault;
        if (entry.seen >= offset && entry.seen < offset + times) match ??= fault;
      }
      return match;
    },
  };
}
