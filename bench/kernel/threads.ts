import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { bundle } from './bundle.js';
import { median, roundTo } from './figures.js';
import { writeSpeedFiles } from './speed-files.js';

const RUNS = 7;

interface ThreadRun {
  ms: number;
  peakMb: number;
  sha256: string;
}

/**
 * Measures repair and verification of a million triangles with two threads and with one, in new processes that have
 * warmed up. Runs alternate; figures are medians. Throws if the results differ.
 */
export async function measureThreads() {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bench-threads-'));
  try {
    const program = await bundle('threads-once');
    const { stl } = writeSpeedFiles(folder);
    const runs = Array.from({ length: RUNS }, () => ({ one: runOnce(program, stl, 1), two: runOnce(program, stl, 2) }));
    if (new Set(runs.flatMap(({ one, two }) => [one.sha256, two.sha256])).size > 1)
      throw new Error('The results of one and two threads differ.');
    const figures = (pick: (run: ThreadRun) => number) => ({
      one: roundTo(median(runs.map(({ one }) => pick(one)))),
      two: roundTo(median(runs.map(({ two }) => pick(two)))),
    });
    const [ms, peakMb] = [figures((run) => run.ms), figures((run) => run.peakMb)];
    const ratio = roundTo(median(runs.map(({ one, two }) => two.ms / one.ms)), 2);
    return { what: 'repair and verify a million triangles, one and two threads', ms, peakMb, ratio, reach: 0.65 };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs a program of this repository. Its output is not validated. */
function runOnce(program: string, file: string, threads: number): ThreadRun {
  return JSON.parse(
    execFileSync(process.execPath, [program, file, String(threads)], { encoding: 'utf8' }),
  ) as ThreadRun;
}
