import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { nextTurn } from './unheard.js';

/** What this process holds, by kind: connections, timers that keep it alive, operations of the file system, open files. */
export type HeldResources = Map<string, number>;

const MOST_MS = 40_000;
/** Most is released within a few turns. */
const MOST_TURNS = 50;
const PAUSE_MS = 10;

/** Counts what this process holds now. Needs Linux (/proc). */
export function countHeldResources(): HeldResources {
  const counts: HeldResources = new Map([['open file', readdirSync('/proc/self/fd').length]]);
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

/**
 * Waits until this process holds no more than `before`; calls `help` meanwhile. Throws, naming what is left, when that has not come to be in
 * forty seconds, or when there is nothing left that timers could wait for.
 */
export async function untilReleased(before: HeldResources, help: () => void = () => undefined): Promise<void> {
  const deadline = performance.now() + MOST_MS;
  for (let look = 1, idleTurns = 0; ; look += 1) {
    const left = [...countHeldResources()].filter(([kind, count]) => count > (before.get(kind) ?? 0));
    if (left.length === 0) return;
    idleTurns = left.every(([kind]) => kind === 'Timeout') ? idleTurns + 1 : 0;
    if (idleTurns > MOST_TURNS || performance.now() > deadline)
      throw new Error(`left: ${left.map((each) => each.join(' ')).join(', ')}`);
    help();
    await (look < MOST_TURNS || idleTurns > 0 ? nextTurn() : sleep(PAUSE_MS));
  }
}
