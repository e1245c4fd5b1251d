import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** A running process. `parent`: the id of its parent; `command`: its command line. */
export interface RunningProcess {
  pid: number;
  parent: number;
  command: string;
}

/** Returns all processes of this machine except zombies. Reads /proc. */
function listProcesses(): RunningProcess[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
        // The name is in parentheses and may contain spaces. State and parent follow the last parenthesis.
        const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        if (state === 'Z') return [];
        const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ');
        return [{ pid: Number(name), parent: Number(parent), command }];
      } catch {
        return []; // the process has exited in the meantime
      }
    });
}

/** Returns the children of a process and their descendants. */
export function findDescendants(pid: number): RunningProcess[] {
  const all = listProcesses();
  const below = (parent: number): RunningProcess[] =>
    all.filter((entry) => entry.parent === parent).flatMap((entry) => [entry, ...below(entry.pid)]);
  return below(pid);
}

/** Returns the local service that Node-RED, the process `pid`, has started. */
export function findServiceProcess(pid: number): RunningProcess | undefined {
  return findDescendants(pid).find(({ command }) => command.includes('cli.js serve'));
}

/** Returns the kernel processes of a service or of its parent, without those that put them in a sandbox. */
export function findKernelProcesses(pid: number): RunningProcess[] {
  return findDescendants(pid).filter(({ command }) => /^\S*node \S*kernel-process\.js/.test(command));
}

/** Returns the file `status` of a process in /proc, or '' if it has exited. */
export function readStatus(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return '';
  }
}

/** Returns whether a process with this id is running. */
export function isRunning(pid: number): boolean {
  return listProcesses().some((entry) => entry.pid === pid);
}

/**
 * Calls `read` every 20 ms until it returns a truthy value, and returns this value. Throws an error with the name of
 * the condition after `timeoutMs` (default: 150 s).
 */
export async function eventually<T>(
  condition: string,
  read: () => T | Promise<T>,
  timeoutMs = 150_000,
): Promise<NonNullable<T>> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const value = await read();
    if (value) return value;
    if (performance.now() > deadline) throw new Error(`Timed out after ${timeoutMs} ms: ${condition}`);
    await sleep(20);
  }
}
