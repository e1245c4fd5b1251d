import { spawn } from 'node:child_process';
import { SHELL } from './kernel-start-error.js';

// A signal for the group of this process, such as Ctrl-C in a terminal, does not end the guard before this process.
const SCRIPT = `trap '' INT TERM HUP; read -r line || kill -s KILL -- "$0"`;

/**
 * Starts a process that kills another one if this one ends, however that happens: one that is stopped (SIGSTOP) cannot notice
 * it. `target`: a process id, or that of a process group as a negative number. Returns a function that ends the guard, to be
 * called once the other process runs again or has ended. Throws if the guard cannot be started.
 */
export function startStopGuard(target: number): () => void {
  const guard = spawn(SHELL, ['-c', SCRIPT, String(target)], { env: {}, stdio: ['pipe', 'ignore', 'ignore'] });
  guard.on('error', () => undefined);
  guard.stdin.on('error', () => undefined);
  if (guard.pid === undefined) throw new Error('Could not start a guard.');
  return () => guard.stdin.end('\n');
}
