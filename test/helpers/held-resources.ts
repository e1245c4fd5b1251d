import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { nextTurn } from './unheard.js';

/** What this process holds, by kind: connections, timers that keep it alive, operations of the file system, open files. */
export type HeldResources = Map<string, number>;

const MAX_MS = 40_000;
/** Most is released within a few turns. */
const MAX_TURNS = 50;
const PAUSE_MS = 10;

/** Counts what this process holds now. Needs Linux (/proc). */
export function countHeldResources(): HeldResources {
  const counts: HeldResources = new Map([['open file', readdirSync('/proc/self/fd').length]]);
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

/** `help` is called at each look. `hasLinger`: timers are expected to end by themselves, within the time that a shared resource outlives its users. */
interface ReleaseOptions {
  help?: (() => void) | undefined;
  hasLinger?: boolean;
}

/**
 * Waits until this process holds no more than `before`. Throws, naming what is left, when that has not come to be in forty seconds, or when
 * only timers are left, unless they are expected.
 */
export async function untilReleased(before: HeldResources, { help, hasLinger }: ReleaseOptions = {}): Promise<void> {
  const deadline = performance.now() + MAX_MS;
  for (let look = 1, idleTurns = 0; ; look += 1) {
    const left = [...countHeldResources()].filter(([kind, count]) => count > (before.get(kind) ?? 0));
    if (left.length === 0) return;
    const isIdle = !hasLinger && left.every(([kind]) => kind === 'Timeout');
    idleTurns = isIdle ? idleTurns + 1 : 0;
    if (idleTurns > MAX_TURNS || performance.now() > deadline)
      throw new Error(`left: ${left.map((each) => each.join(' ')).join(', ')}`);
    help?.();
    await (look < MAX_TURNS || isIdle ? nextTurn() : sleep(PAUSE_MS));
  }
}
