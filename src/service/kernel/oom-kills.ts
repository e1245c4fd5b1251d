import { readFileSync } from 'node:fs';
import path from 'node:path';

/** Returns the content of a small file, or `undefined` if it cannot be read. */
export type ReadText = (file: string) => string | undefined;

const readText: ReadText = (file) => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined; // not on this system
  }
};

/**
 * Returns how many processes the system has killed so far because memory was short: those of our control group (version 2
 * or 1) and of the machine. `undefined` if the system does not count them.
 */
export function countOomKills(read: ReadText = readText): number | undefined {
  const groups = read('/proc/self/cgroup') ?? '';
  const unified = /^0::(\/.*)$/m.exec(groups)?.[1] ?? '/';
  const memory = /^\d+:(?:[^:]*,)?memory(?:,[^:]*)?:(\/.*)$/m.exec(groups)?.[1] ?? '/';
  const counts = [
    read(path.posix.join('/sys/fs/cgroup', unified, 'memory.events')),
    read(path.posix.join('/sys/fs/cgroup/memory', memory, 'memory.oom_control')),
    read('/proc/vmstat'),
  ].flatMap((text) => /^oom_kill (\d+)$/m.exec(text ?? '')?.[1] ?? []);
  return counts.length === 0 ? undefined : counts.reduce((sum, count) => sum + Number(count), 0);
}
