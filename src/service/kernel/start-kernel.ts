import { type ChildProcess, spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import os from 'node:os';

/** What a kernel process is started from. */
export interface KernelProgram {
  /** The program that runs one job: `kernel-process.js`. */
  program: string;
  /** The most memory that a job may hold. */
  memoryBytes: number;
}

// Nice: whoever serves requests or prints comes first.
const PRIORITY = 10;
// The system's killer of last resort shall take this process before any other of ours.
const OOM_SCORE = '800';

// All that a kernel process gets of our environment. No NODE_OPTIONS, nobody's secrets.
const ENVIRONMENT = ['PATH', 'HOME', 'TMPDIR', 'TEMP', 'TMP', 'LANG', 'LC_ALL', 'TZ', 'SystemRoot', 'WINDIR'];

/** Whether the system caps the memory of a kernel process; else it has to watch itself. */
export const isMemoryCapped = process.platform === 'linux';

function spawnKernel({ program, memoryBytes }: KernelProgram): ChildProcess {
  const env = Object.fromEntries(ENVIRONMENT.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
  const options = { env, stdio: 'pipe', windowsHide: true } as const;
  const args = [program, String(memoryBytes)];
  if (!isMemoryCapped) return spawn(process.execPath, args, options);
  const script = `ulimit -d ${Math.floor(memoryBytes / 1024)} && exec "$0" "$@"`;
  return spawn('/bin/sh', ['-c', script, process.execPath, ...args], options);
}

function lowerPriority(pid: number): void {
  try {
    os.setPriority(pid, PRIORITY);
  } catch {
    // it has ended, or this system does not let us: it runs on as it is
  }
  if (isMemoryCapped) writeFile(`/proc/${pid}/oom_score_adj`, OOM_SCORE).catch(() => undefined); // as above
}

/**
 * Starts a kernel process, which waits for its job on stdin, at low priority; on Linux under a cap on all memory that it may write to,
 * which also counts what V8's own limits leave out.
 */
export function startKernel(program: KernelProgram): ChildProcess {
  const child = spawnKernel(program);
  if (child.pid !== undefined) lowerPriority(child.pid);
  return child;
}
