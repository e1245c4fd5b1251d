import { execFileSync } from 'node:child_process';
import { buildProgram } from './build-program.js';

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
  /** V - E + F; 0 unless the file is closed. */
  eulerCharacteristic: number;
  /** The signed volume of each shell, negative if it faces inward. Empty unless the file is closed. */
  shellVolumesMm3: number[];
  isSolid: boolean;
}

/** Compiles the judge to `folder` as `buildProgram`. Returns its path. */
export function buildJudge(folder: string): string {
  return buildProgram('judge', folder);
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
