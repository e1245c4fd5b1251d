import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { eventually } from '../../helpers/processes.js';
import { STRACE_ARGUMENTS } from './system-calls.js';

/** A shell whose commands are traced by strace, so that one trace shows all of them in their order. */
export interface TracedShell {
  /** Sends a command. Does not wait for it. */
  send(command: string): void;
  /** Prints `text` with the shell and waits for it: the trace then contains everything that earlier commands did. */
  mark(text: string): Promise<void>;
  /** Ends the shell. Resolves when the trace is complete. */
  close(): Promise<void>;
}

/** Starts a traced shell. Requires strace. Writes the trace to `file`. */
export function startTracedShell(file: string): TracedShell {
  const child = spawn('strace', [...STRACE_ARGUMENTS, '-o', file, 'bash'], {
    stdio: ['pipe', 'pipe', 'inherit'],
    // Node on some versions uses io_uring, whose writes strace does not see.
    env: { ...process.env, UV_USE_IO_URING: '0' },
  });
  const lines: string[] = [];
  createInterface(child.stdout).on('line', (line) => lines.push(line));
  const ended = once(child, 'close');
  const failed = ended.then(() => Promise.reject(new Error('The traced shell ended. Is strace installed?')));
  failed.catch(() => undefined); // it also ends as intended
  const send = (command: string): void => void child.stdin.write(`${command}\n`);
  return {
    send,
    async mark(text) {
      send(`echo '${text}'`);
      await Promise.race([eventually(`the shell has printed ${text}`, () => lines.includes(text)), failed]);
    },
    async close() {
      child.stdin.end();
      await ended;
    },
  };
}
