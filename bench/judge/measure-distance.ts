import { execFileSync } from 'node:child_process';
import { buildProgram } from './build-program.js';

/** The distance of points of a surface from another surface in mm. */
export interface SurfaceDistance {
  minMm: number;
  maxMm: number;
  maxAtVerticesMm: number;
}

/** Random points of a surface, besides its vertices. */
const POINTS = 20_000;
const TIMEOUT_MS = 600_000;

/** Compiles the program that measures distances to `folder` as `buildProgram`. Returns its path. */
export function buildDistanceMeter(folder: string): string {
  return buildProgram('measure-distance', folder);
}

/**
 * Measures how far the surface of an OFF file is from that of another, at its vertices and at 20,000 points distributed
 * by area. Throws if that takes longer than ten minutes.
 */
export function measureDistance(program: string, from: string, to: string): SurfaceDistance {
  const output = execFileSync(program, [from, to, String(POINTS)], { encoding: 'utf8', timeout: TIMEOUT_MS });
  // The output is not validated: the program is part of this repository.
  return JSON.parse(output) as SurfaceDistance;
}
