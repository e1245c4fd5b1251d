import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { runJudge } from '../judge/judge.js';
import { bundle } from './bundle.js';
import { median, roundTo } from './figures.js';
import { isInstalled, runTool } from './run-tool.js';
import { writeSpeedFiles } from './speed-files.js';

const RUNS = 5;
const TIMEOUT_MS = 300_000;
const READ_3MF = fileURLToPath(new URL('../judge/read-3mf.mjs', import.meta.url));
const READ_3MF_NATIVE = fileURLToPath(new URL('../judge/read-3mf.cpp', import.meta.url));

/** A row: what was measured and its baseline, in ms. `reach`: the target of the ratio, at most, if there is one. */
export interface SpeedRow {
  what: string;
  oursMs: number;
  other?: string;
  otherMs?: number;
  ratio?: number;
  reach?: number | undefined;
}

/**
 * Measures reading, repairing and writing a million triangles: this package inside a new process, excluding its start and
 * a warm-up, other tools as whole processes. Runs alternate; figures are medians of 5; the files are in the page cache.
 */
export async function measureSpeed(judge: string): Promise<SpeedRow[]> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bench-speed-'));
  try {
    const files = writeSpeedFiles(folder);
    const program = await bundle('speed-once');
    const once = (...args: string[]) => runAndParse(program, args);
    const read = (file: string) => () => once('read', file).ms;
    const tool =
      (name: string, ...args: string[]) =>
      () =>
        runTool(name, args, TIMEOUT_MS).ms;
    const admesh = isInstalled('admesh');
    const read3mf = buildReader(folder);
    const twoThreads = await bundle('threads-once');
    const intersectionsOfCgal: Baseline = [
      'self_intersections of CGAL alone',
      () => runJudge(judge, files.stl, TIMEOUT_MS).selfIntersectionsMs,
    ];
    const rows = [
      interleave('read and weld binary STL', 0.35, read(files.stl), admesh && ['admesh', tool('admesh', files.stl)]),
      interleave(
        'read and weld ASCII STL',
        0.3,
        read(files['stl-ascii']),
        admesh && ['admesh', tool('admesh', files['stl-ascii'])],
      ),
      interleave(
        'read and weld OBJ',
        0.25,
        read(files.obj),
        isInstalled('assimp') && ['assimp info', tool('assimp', 'info', files.obj)],
      ),
      interleave('read and weld 3MF', 0.2, read(files['3mf']), [
        'lib3mf, WASM, its mesh handed to Node',
        tool(process.execPath, READ_3MF, files['3mf']),
      ]),
      // Native code that neither copies nor welds: for comparison, not a target.
      interleave(
        'read and weld 3MF',
        undefined,
        read(files['3mf']),
        read3mf !== undefined && ['lib3mf, C++', tool(read3mf, files['3mf'])],
      ),
      interleave('repair and verify, new process', 0.25, () => once('repair', files.stl).ms, intersectionsOfCgal),
      // As the service does: its processes warm up while they wait, and a job of this size uses two cores.
      interleave(
        'repair and verify, warmed up, two threads',
        0.25,
        () => runAndParse(twoThreads, [files.stl, '2']).ms,
        intersectionsOfCgal,
      ),
    ];
    for (const format of ['stl', 'ply', 'glb']) {
      const runs = Array.from({ length: RUNS }, () => once('write', files.stl, format, path.join(folder, 'written')));
      const [ours, same] = [median(runs.map(({ ms }) => ms)), median(runs.map(({ sameBytesMs = 0 }) => sameBytesMs))];
      rows.push(row(`write ${format}`, 2, ours, 'writing the same bytes', same));
    }
    return rows;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs a program of this repository. Its output is not validated. */
function runAndParse(program: string, args: readonly string[]): { ms: number; sameBytesMs?: number } {
  return JSON.parse(execFileSync(process.execPath, [program, ...args], { encoding: 'utf8', timeout: TIMEOUT_MS })) as {
    ms: number;
    sameBytesMs?: number;
  };
}

type Baseline = false | [name: string, run: () => number];

function interleave(what: string, reach: number | undefined, ours: () => number, other: Baseline): SpeedRow {
  const times: { ours: number[]; other: number[] } = { ours: [], other: [] };
  for (let run = 0; run < RUNS; run++) {
    times.ours.push(ours());
    if (other) times.other.push(other[1]());
  }
  return other
    ? row(what, reach, median(times.ours), other[0], median(times.other))
    : { what, oursMs: roundTo(median(times.ours)), reach };
}

function row(what: string, reach: number | undefined, oursMs: number, other: string, otherMs: number): SpeedRow {
  const figures = { oursMs: roundTo(oursMs), otherMs: roundTo(otherMs), ratio: roundTo(oursMs / otherMs, 2) };
  return { what, other, ...figures, reach };
}

/** Compiles the lib3mf reader. Returns undefined if Debian's lib3mf-dev is not installed. */
function buildReader(folder: string): string | undefined {
  if (!existsSync('/usr/include/lib3mf')) return undefined;
  const program = path.join(folder, 'read-3mf');
  execFileSync('g++', ['-O2', '-I/usr/include/lib3mf', '-o', program, READ_3MF_NATIVE, '-l3MF']);
  return program;
}
