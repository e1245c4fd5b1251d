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

/** Runs the built command line, or a copy of it, to its end. */
export async function runProgram(args: string[], environment: Record<string, string> = {}, file = CLI) {
  const program = startProgram(args, environment, file);
  program.child.stdin?.end();
  const status = await program.ended;
  return { status, lines: program.lines, errors: program.errors() };
}

/** Starts `serve` on a folder and a free port. Resolves once it has printed its base URL. */
export async function startServe(
  folder: string,
  args: string[] = [],
  environment: Record<string, string> = {},
): Promise<Program & { baseUrl: string }> {
  const program = startProgram(['serve', '--port', '0', '--data', folder, ...args], environment);
  const { stdout } = program.child;
  while (program.lines.length === 0) {
    const hasEnded = await Promise.race([
      program.ended.then(() => true),
      once(stdout ?? program.child, 'data').then(() => false),
    ]);
    if (hasEnded) throw new Error(`serve has ended: ${program.errors()}`);
    await new Promise((resolve) => setImmediate(resolve)); // the line reader runs after the data event
  }
  return { ...program, baseUrl: program.lines[0] ?? '' };
}
