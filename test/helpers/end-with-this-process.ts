import type { ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';

const children = new Map<ChildProcess, NodeJS.Signals>();

process.once('exit', () => {
  for (const [child, signal] of children) child.kill(signal);
});

/**
 * Ends a server at the end of this process, which does not wait for it any more. A hook that timed out has not received
 * the servers that it was starting, and cannot stop them. `signal`: with which the server ends at once.
 */
export function endWithThisProcess(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): void {
  children.set(child, signal);
  child.once('exit', () => children.delete(child));
  child.unref();
  for (const stream of child.stdio) if (stream instanceof Socket) stream.unref();
}
