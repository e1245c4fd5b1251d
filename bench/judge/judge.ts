import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** What the judge says of a file. `isSolid`: a closed polygon mesh without degenerate or intersecting triangles that bounds a volume from outside. */
export interface Judgment {
  triangles: number;
  isPolygonMesh: boolean;
  isClosed: boolean;
  degenerateTriangles: number;
  intersectingPairs: number;
  boundsVolume: boolean;
  volumeMm3: number;
  /** How long the search for intersecting pairs alone took. */
  selfIntersectionsMs: number;
  isSolid: boolean;
}

const SOURCE = path.join(path.dirname(fileURLToPath(import.meta.url)), 'judge.cpp');

/** Compiles the judge into `folder`, unless it is there and newer than its source. Needs g++ and Debian's libcgal-dev; takes a minute. */
export function buildJudge(folder: string): string {
  const program = path.join(folder, 'judge');
  if (existsSync(program) && statSync(program).mtimeMs > statSync(SOURCE).mtimeMs) return program;
  mkdirSync(folder, { recursive: true });
  execFileSync('g++', ['-O2', '-std=c++17', '-o', program, SOURCE, '-lgmp', '-lmpfr'], { stdio: 'inherit' });
  return program;
}

/** Has the judge look at one file (OFF or STL). Throws where it crashes or takes longer than `timeoutMs`, two minutes by default. */
export function runJudge(program: string, file: string, timeoutMs = 120_000): Judgment {
  const output = execFileSync(program, [file], { encoding: 'utf8', timeout: timeoutMs });
  // The program is ours: the form of its line is known.
  const judgment = JSON.parse(output) as Omit<Judgment, 'isSolid'>;
  return {
    ...judgment,
    isSolid: judgment.isPolygonMesh && judgment.isClosed && judgment.boundsVolume && judgment.volumeMm3 > 0,
  };
}
