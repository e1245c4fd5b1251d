import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** GNU time reports the peak memory of a process. */
const TIMER = '/usr/bin/time';

/** The result of one run of a program. */
export interface ToolRun {
  /** Whether it exited within the time limit, with any status. */
  isEnded: boolean;
  stdout: string;
  stderr: string;
  /** Wall time of the whole process. */
  ms: number;
  /** Absent without GNU time (Debian: time). */
  peakMb?: number;
}

/** Runs a program, and stops it at the time limit. */
export function runTool(program: string, args: readonly string[], timeoutMs: number): ToolRun {
  const note = path.join(os.tmpdir(), `bench-time-${process.pid}`);
  const timed = existsSync(TIMER) ? [TIMER, '-f', '%M', '-o', note, program, ...args] : [program, ...args];
  const [command = program, ...rest] = timed;
  const start = performance.now();
  // `timeout` stops the whole process group; GNU time does not forward signals.
  const { status, stdout, stderr } = spawnSync('timeout', ['-k', '1', String(timeoutMs / 1000), command, ...rest], {
    encoding: 'latin1',
    maxBuffer: 1 << 28,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ms = performance.now() - start;
  const run: ToolRun = { isEnded: status !== null && status !== 124, stdout, stderr, ms };
  if (!existsSync(note)) return run;
  const kilobytes = Number(readFileSync(note, 'utf8').trim().split('\n').at(-1));
  rmSync(note);
  return { ...run, peakMb: kilobytes / 1024 };
}

/** Returns whether a program is installed. */
export function isInstalled(program: string): boolean {
  return spawnSync(program, ['--help'], { stdio: 'ignore', timeout: 10_000 }).error === undefined;
}
