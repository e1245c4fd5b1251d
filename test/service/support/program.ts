import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';

export const CLI = path.resolve('dist/src/cli.js');

/** A process that a test started. */
export interface Program {
  child: ChildProcess;
  pid: number;
  /** The lines of stdout so far. */
  lines: string[];
  /** Returns the stderr so far. */
  errors: () => string;
  /** Resolves with the exit status, or the name of the signal. */
  ended: Promise<number | string | null>;
}

/** Starts the built command line, or a copy of it. */
export function startProgram(args: string[], environment: Record<string, string> = {}, program = CLI): Program {
  const child = spawn(process.execPath, [program, ...args], { stdio: 'pipe', env: { ...process.env, ...environment } });
  const lines: string[] = [];
  let errors = '';
  createInterface(child.stdout).on('line', (line) => lines.push(line));
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const ended = once(child, 'close').then(([status, signal]): number | string | null => signal ?? status);
  return { child, pid: child.pid ?? 0, lines, errors: () => errors, ended };
}

/** Runs the built command line, or a copy of it, to its end. `input` is written to its stdin. */
export async function runProgram(args: string[], environment: Record<string, string> = {}, file = CLI, input = '') {
  const program = startProgram(args, environment, file);
  program.child.stdin?.on('error', () => undefined); // it may end before it reads its input
  program.child.stdin?.end(input);
  const status = await program.ended;
  return { status, lines: program.lines, errors: program.errors() };
}

/** A program that has printed its URL. */
export interface StartedProgram extends Program {
  baseUrl: string;
}

/** Waits for the first line of stdout, the URL of the program. Rejects with its log if it ends before. */
export async function untilStarted(program: Program): Promise<StartedProgram> {
  while (program.lines.length === 0) {
    const status = await Promise.race([program.ended, once(program.child.stdout ?? program.child, 'data')]);
    if (!Array.isArray(status)) throw new Error(`The program has ended (${status}): ${program.errors()}`);
    await new Promise((resolve) => setImmediate(resolve)); // the line reader runs after the data event
  }
  return { ...program, baseUrl: program.lines[0] ?? '' };
}

/** Starts `serve` on a folder and a free port. Resolves once it has printed its base URL. */
export function startServe(
  folder: string,
  args: string[] = [],
  environment: Record<string, string> = {},
): Promise<StartedProgram> {
  return untilStarted(startProgram(['serve', '--port', '0', '--data', folder, ...args], environment));
}

/** Ends a program. Resolves with its exit status, or the name of the signal. */
export function stopProgram({ child, ended }: Program, signal: NodeJS.Signals = 'SIGTERM'): Program['ended'] {
  child.kill(signal);
  return ended;
}

/** Registers a hook that kills the services of each test. Returns `startServe`. */
export function useServe(): typeof startServe {
  const running: Program[] = [];

  afterEach(async () => {
    for (const program of running.splice(0)) await stopProgram(program, 'SIGKILL');
  });

  return async (...args) => {
    const program = await startServe(...args);
    running.push(program);
    return program;
  };
}
