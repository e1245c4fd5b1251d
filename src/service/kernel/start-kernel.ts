import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import os from 'node:os';
import { explainKernelStartError, SHELL } from './kernel-start-error.js';
import type { Sandbox } from './sandbox/open-sandbox.js';

/** The program of a kernel process and its memory limit. */
export interface KernelProgram {
  /** The program that runs one job: `kernel-process.js`. */
  program: string;
  /** The memory limit of a job. */
  memoryBytes: number;
  /** Where the process runs. Default: it may do what this process may. */
  sandbox?: Sandbox | undefined;
}

// The nice value: processes that serve requests or print take precedence.
const PRIORITY = 10;
// Makes the OOM killer choose this process before our others.
const OOM_SCORE = '800';

// The environment variables that a kernel process inherits: no NODE_OPTIONS and no secrets. In a sandbox, they say nothing
// of the files of this machine.
const ENVIRONMENT = ['PATH', 'HOME', 'TMPDIR', 'TEMP', 'TMP', 'LANG', 'LC_ALL', 'TZ', 'SystemRoot', 'WINDIR'];
const SANDBOX_ENVIRONMENT = ['LANG', 'LC_ALL', 'TZ'];

/** Whether the system caps the memory of a kernel process. Otherwise the process checks its own memory. */
export const isMemoryCapped = process.platform === 'linux';

// A kernel process has two threads that run JavaScript.
const THREADS = 2;
const WRITABLE_CODE = /^([0-9a-f]+)-([0-9a-f]+) rwxp /gm;
// The largest range of a thread, on x64.
const MAX_CODE_RANGE = 512 * 1024 ** 2;

let codeRange: number | undefined;

/**
 * Returns the size in bytes of the address range that V8 maps for the machine code of a thread. Since Node 24 it is
 * writable as a whole (512 MiB), so that Linux counts it as data although hardly any of it is used. 0 if it cannot be
 * read. This process may have several threads.
 */
function readCodeRange(): number {
  try {
    let size = 0;
    for (const [, start = '', end = ''] of readFileSync('/proc/self/maps', 'latin1').matchAll(WRITABLE_CODE))
      size += Number.parseInt(end, 16) - Number.parseInt(start, 16);
    return Math.min(size, MAX_CODE_RANGE);
  } catch {
    return 0; // no /proc: the cap then includes the range
  }
}

function readEnvironment(names: readonly string[]): NodeJS.ProcessEnv {
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
}

/** Returns the `ulimit` of the shell that starts a kernel process. */
function limitMemory(memoryBytes: number): string {
  codeRange ??= readCodeRange();
  return `ulimit -d ${Math.floor((memoryBytes + THREADS * codeRange) / 1024)}`;
}

function spawnKernel({ program, memoryBytes }: KernelProgram): ChildProcess {
  const options = { env: readEnvironment(ENVIRONMENT), stdio: 'pipe', windowsHide: true } as const;
  const args = [program, String(memoryBytes)];
  if (!isMemoryCapped) return spawn(process.execPath, args, options);
  const script = `${limitMemory(memoryBytes)} && exec "$0" "$@"`;
  return spawn(SHELL, ['-c', script, process.execPath, ...args], options);
}

/**
 * Starts a process in a sandbox. It is a process group of its own, with those of `bwrap` around it: signals are for the group.
 * They get their priority before `bwrap` starts, because they would pass on what they had then.
 */
function spawnInSandbox({ memoryBytes }: KernelProgram, sandbox: Sandbox, folder: string): ChildProcess {
  const oomScore = `{ echo ${OOM_SCORE} > /proc/self/oom_score_adj; } 2>/dev/null`;
  const script = `${limitMemory(memoryBytes)} || exit; ${oomScore}; exec "$0" "$@"`;
  const options = { env: readEnvironment(SANDBOX_ENVIRONMENT), cwd: '/', stdio: 'pipe', detached: true } as const;
  const command = sandbox.createCommand(folder, Math.max(0, PRIORITY - os.getPriority()));
  return spawn(SHELL, ['-c', script, ...command, sandbox.program, String(memoryBytes)], options);
}

function lowerPriority(pid: number): void {
  try {
    os.setPriority(pid, PRIORITY);
  } catch {
    // the process has ended, or the system does not permit it: the priority stays as it is
  }
  if (isMemoryCapped) writeFile(`/proc/${pid}/oom_score_adj`, OOM_SCORE).catch(() => undefined); // as above
}

/**
 * Starts a kernel process at low priority; it waits for its job on stdin. On Linux its writable memory is capped
 * (`ulimit -d`), which also counts memory outside of the limits of V8. `folder`: that of the process in a sandbox. Throws
 * `KERNEL_UNAVAILABLE`, or the process emits an error, if it could not be started.
 */
export function startKernel(program: KernelProgram, folder?: string): ChildProcess {
  let child: ChildProcess;
  try {
    if (program.sandbox && folder !== undefined) return spawnInSandbox(program, program.sandbox, folder);
    child = spawnKernel(program);
  } catch (error) {
    throw explainKernelStartError(error);
  }
  if (child.pid !== undefined) lowerPriority(child.pid);
  return child;
}
