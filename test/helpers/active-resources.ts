import { readdirSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { nextTurn } from './next-turn.js';

/** Kind of resource → count: connections, timers that keep the process alive, file system operations, open files. */
export type ActiveResources = Map<string, number>;

const MAX_MS = 40_000;
/** Most resources are released within a few turns of the event loop. */
const MAX_TURNS = 50;
const POLL_INTERVAL_MS = 10;

/** Counts the active resources of this process. Requires Linux (/proc). */
export function countActiveResources(): ActiveResources {
  const counts: ActiveResources = new Map([['open file', readdirSync('/proc/self/fd').length]]);
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

/** Returns the paths, or the kinds and inodes, of what this process has open. Requires Linux (/proc). */
export function listOpenFiles(): string[] {
  return readdirSync('/proc/self/fd').map((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`);
    } catch {
      return ''; // closed meanwhile
    }
  });
}

/** Options of `untilReleased`. */
interface ReleaseOptions {
  /** Called after each count. */
  help?: (() => void) | undefined;
  /** Whether remaining timers are expected to end by themselves: shared resources are closed after an idle timeout. */
  hasIdleTimeout?: boolean;
}

/**
 * Waits until this process has no more active resources than `before`. Throws, naming the remaining ones, after 40 s.
 * If only timers remain, and they are not expected, throws after 50 turns of the event loop.
 */
export async function untilReleased(
  before: ActiveResources,
  { help, hasIdleTimeout }: ReleaseOptions = {},
): Promise<void> {
  const deadline = performance.now() + MAX_MS;
  for (let attempt = 1, idleTurns = 0; ; attempt += 1) {
    const remaining = [...countActiveResources()].filter(([kind, count]) => count > (before.get(kind) ?? 0));
    if (remaining.length === 0) return;
    const isIdle = !hasIdleTimeout && remaining.every(([kind]) => kind === 'Timeout');
    idleTurns = isIdle ? idleTurns + 1 : 0;
    if (idleTurns > MAX_TURNS || performance.now() > deadline)
      throw new Error(
        `Not released: ${remaining.map((each) => each.join(' ')).join(', ')} (${listOpenFiles().join(', ')})`,
      );
    help?.();
    await (attempt < MAX_TURNS || isIdle ? nextTurn() : sleep(POLL_INTERVAL_MS));
  }
}
