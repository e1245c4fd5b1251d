import { readFileSync } from 'node:fs';
import { findDescendants } from '../../test/helpers/processes.js';

const TICKS_PER_SECOND = 100;

/** Returns the text of a file of /proc; `undefined` if the process has ended: its parent has its CPU time. */
function readIfRunning(file: string): string | undefined {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return undefined;
  }
}

/** The CPU time of a process, and of its children that have ended, in seconds. */
export interface CpuSeconds {
  own: number;
  ended: number;
}

/** Returns the CPU time of a process. Reads /proc. */
export function readCpuSeconds(pid: number): CpuSeconds {
  const stat = readIfRunning(`/proc/${pid}/stat`);
  if (stat === undefined) return { own: 0, ended: 0 };
  // The name is in parentheses and may contain spaces. The times are the fields 14 to 17 of proc(5).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const sumOf = (start: number): number => (Number(fields[start]) + Number(fields[start + 1])) / TICKS_PER_SECOND;
  return { own: sumOf(11), ended: sumOf(13) };
}

/** Returns the CPU time of the descendants of a process, in seconds, with those that have ended. */
export function sumDescendants(pid: number): number {
  return findDescendants(pid).reduce((sum, child) => {
    const { own, ended } = readCpuSeconds(child.pid);
    return sum + own + ended;
  }, readCpuSeconds(pid).ended);
}

/** Returns the CPU time of these processes and their descendants, in seconds. Reads /proc. */
export function sumCpuSeconds(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + readCpuSeconds(pid).own + sumDescendants(pid), 0);
}
