import { delay as realPause } from '../machine/pause.js';
import type { Fault, FaultName } from './read-faults.js';

/** Says what is to go wrong next, for people who test how their flows bear it. */
export interface Faults {
  /** The fault of this name that befalls what happens now, if one does. Each call counts as one thing that happens. */
  next<N extends FaultName>(name: N, isMeant?: (fault: Fault<N>) => boolean): Fault<N> | undefined;
  /** Has more go wrong, as if it had stood in the list from now on. */
  add(list: readonly Fault[]): void;
  pause: typeof realPause;
}

const isOver = ({ fault: { at = 1, times = 1 }, seen }: { fault: Fault; seen: number }): boolean =>
  seen + 1 >= at + times;

/** Counts what happens, by each fault's own count. `pause` default: the clock's. */
export const createFaults = (list: readonly Fault[], pause = realPause): Faults => {
  let counted: { fault: Fault; seen: number }[] = [];
  const add = (more: readonly Fault[]): void => {
    counted = [...counted.filter((entry) => !isOver(entry)), ...more.map((fault) => ({ fault, seen: 0 }))];
  };
  add(list);
  return {
    add,
    pause,
    next<N extends FaultName>(name: N, isMeant: (fault: Fault<N>) => boolean = () => true): Fault<N> | undefined {
      let found: Fault<N> | undefined;
      for (const entry of counted) {
        if (entry.fault.fault !== name) continue;
        const fault = entry.fault as Fault<N>; // it has that name
        if (!isMeant(fault)) continue;
        entry.seen += 1;
        const { at = 1, times = 1 } = fault;
        if (entry.seen >= at && entry.seen < at + times) found ??= fault;
      }
      return found;
    },
  };
};
