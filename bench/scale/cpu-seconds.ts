import { readFileSync } from 'node:fs';
import { findDescendants } from '../../test/helpers/processes.js';

const TICKS_PER_SECOND = 100;

/** Returns the CPU time of a process and of its children that have ended. */
function readCpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  // The name is in parentheses and may contain spaces. The times are the fields 14 to 17 of proc(5).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND;
}

/** Returns the CPU time of these processes and their descendants, in seconds. Reads /proc. */
export function sumCpuSeconds(pids: readonly number[]): number {
  const all = pids.flatMap((pid) => [pid, ...findDescendants(pid).map((descendant) => descendant.pid)]);
  return all.reduce((sum, pid) => sum + readCpuSeconds(pid), 0);
}
