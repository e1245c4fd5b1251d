import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { CLI } from '../../service/support/program.js';

/** The outcome of a script. */
export interface ShellResult {
  status: number;
  stdout: string;
  stderr: string;
}

/** A folder in which scripts call `model-processing` by its name, as users do. */
export interface Shell {
  /** Runs a script with `sh`. `input` is written to its stdin. */
  run: (script: string, input?: string | Buffer) => Promise<ShellResult>;
  /** Starts a script with `sh`, in a process group of its own. */
  start: (script: string) => { pid: number; result: Promise<ShellResult> };
  /** Returns the names in the folder for temporary files of the program. */
  listTemporaryFiles: () => Promise<string[]>;
}

/** Creates a shell that works in `folder`. */
export async function createShell(folder: string): Promise<Shell> {
  const program = path.join(folder, '.bin', 'model-processing');
  const temporary = path.join(folder, '.temp');
  await mkdir(path.dirname(program));
  await mkdir(temporary);
  await writeFile(program, `#!/bin/sh\nexec "${process.execPath}" "${CLI}" "$@"\n`);
  await chmod(program, 0o755);
  const PATH = `${path.dirname(program)}${path.delimiter}${process.env.PATH}`;
  const startScript = (script: string, input: string | Buffer = '') => {
    const env = { ...process.env, PATH, TMPDIR: temporary };
    const child = spawn('sh', ['-c', script], { cwd: folder, env, detached: true, stdio: 'pipe' });
    child.stdin.on('error', () => undefined); // the script may not read it
    child.stdin.end(input);
    const result = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]).then(
      ([stdout, stderr, [status]]): ShellResult => ({ status: Number(status), stdout, stderr }),
    );
    return { pid: child.pid ?? 0, result };
  };
  return {
    run: (script, input) => startScript(script, input).result,
    start: (script) => startScript(script),
    listTemporaryFiles: () => readdir(temporary),
  };
}
