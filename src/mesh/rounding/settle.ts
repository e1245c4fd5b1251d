import { createPrng } from '../arrangement/jitter.js';
import type { EditableMesh } from '../intersections/working-surface.js';
import { mend } from './mend.js';

/** How far the surface goes at most, in steps of float32, one size after the other: the least that helps is kept. */
const REACHES = [1, 2, 4, 8, 16, 32, 64, 128, 256];
/** Times that all that is left is gone through at each size. */
const PASSES = 2;
/** Gives up where so many sizes, one after the other, help nothing. */
const MOST_IDLE = 3;
/** More bad triangles than this are no matter of a few vertices: the model is finer than float32 there. */
const MOST_BAD = 20_000;
/** Gives up after so many pairs of triangles were looked at, with some more for each bad one: some ten seconds at most. */
const LEAST_MAX_WORK = 1_000_000;
const WORK_EACH = 5000;
const MOST_WORK = 20_000_000;

/**
 * Undoes what rounding did to a surface: triangles in `bad` that lost their area, or cross others. Each is mended by the least that helps. Answers the triangles that are still bad.
 */
export function settle(surface: EditableMesh, bad: readonly number[]): number[] {
  const random = createPrng(1);
  let left = [...bad];
  if (left.length > MOST_BAD) return left;
  const mostWork = Math.min(MOST_WORK, LEAST_MAX_WORK + bad.length * WORK_EACH);
  let idle = 0;
  for (const reach of REACHES) {
    const leftBefore = left.length;
    for (let pass = 0; pass < PASSES; pass++) {
      if (left.length === 0 || surface.testCount > mostWork) return left;
      for (const triangle of left) if (surface.testCount <= mostWork) mend(surface, triangle, reach, random);
      const seen = new Set([...left, ...surface.drainChanged()]);
      left = [...seen].filter((triangle) => surface.countDefects([triangle], 1) > 0).sort((a, b) => a - b);
    }
    idle = left.length < leftBefore ? 0 : idle + 1;
    if (idle === MOST_IDLE) break;
  }
  return left;
}
