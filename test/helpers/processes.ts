import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** A running process: its id, its parent's id and its command line. */
export interface RunningProcess {
  pid: number;
  parent: number;
  command: string;
}

/** Every process of this machine, from /proc. */
function runningProcesses(): RunningProcess[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
        // The name stands in parentheses and may hold blanks: what follows the last one is state, then parent.
        const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        if (state === 'Z') return [];
        const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ');
        return [{ pid: Number(name), parent: Number(parent), command }];
      } catch {
        return []; // it ended while we looked
      }
    });
}

/** The children of a process, their children and so on. */
export function descendantsOf(pid: number): RunningProcess[] {
  const all = runningProcesses();
  const below = (parent: number): RunningProcess[] =>
    all.filter((entry) => entry.parent === parent).flatMap((entry) => [entry, ...below(entry.pid)]);
  return below(pid);
}

/** The local service among the descendants of a Node-RED. */
export function serviceOf(pid: number): RunningProcess | undefined {
  return descendantsOf(pid).find(({ command }) => command.includes('cli.js serve'));
}

/** The kernel processes among the descendants of a Node-RED or of a service. */
export function kernelProcessesOf(pid: number): RunningProcess[] {
  return descendantsOf(pid).filter(({ command }) => command.includes('kernel-process.js'));
}

/** Whether a process with this id runs. */
export function isRunning(pid: number): boolean {
  return runningProcesses().some((entry) => entry.pid === pid);
}

/** Asks `read` again and again until it answers something true; throws, naming `what`, when `withinMs` is over. */
export async function eventually<T>(
  what: string,
  read: () => T | Promise<T>,
  withinMs = 60_000,
): Promise<NonNullable<T>> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const value = await read();
    if (value) return value;
    if (performance.now() > deadline) throw new Error(`${what}: not within ${withinMs} ms`);
    await sleep(20);
  }
}
