import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The result of the judge for a file. `isSolid`: a closed polygon mesh without degenerate or intersecting triangles
 * that bounds a volume and faces outward.
 */
export interface Judgment {
  triangles: number;
  isPolygonMesh: boolean;
  isClosed: boolean;
  degenerateTriangles: number;
  intersectingPairs: number;
  boundsVolume: boolean;
  volumeMm3: number;
  /** Time of the search for intersecting pairs alone. */
  selfIntersectionsMs: number;
  isSolid: boolean;
}

const SOURCE = path.join(path.dirname(fileURLToPath(import.meta.url)), 'judge.cpp');

/**
 * Compiles the judge to `folder` unless it exists and is newer than its source. Returns its path. Needs g++ and
 * Debian's libcgal-dev; takes a minute.
 */
export function buildJudge(folder: string): string {
  const program = path.join(folder, 'judge');
  if (existsSync(program) && statSync(program).mtimeMs > statSync(SOURCE).mtimeMs) return program;
  mkdirSync(folder, { recursive: true });
  execFileSync('g++', ['-O2', '-std=c++17', '-o', program, SOURCE, '-lgmp', '-lmpfr'], { stdio: 'inherit' });
  return program;
}

/**
 * Runs the judge on an OFF or STL file. Throws if it crashes or takes longer than `timeoutMs` (default: two minutes).
 */
export function runJudge(program: string, file: string, timeoutMs = 120_000): Judgment {
  const output = execFileSync(program, [file], { encoding: 'utf8', timeout: timeoutMs });
  // The output is not validated: the program is part of this repository.
  const judgment = JSON.parse(output) as Omit<Judgment, 'isSolid'>;
  return {
    ...judgment,
    isSolid: judgment.isPolygonMesh && judgment.isClosed && judgment.boundsVolume && judgment.volumeMm3 > 0,
  };
}
