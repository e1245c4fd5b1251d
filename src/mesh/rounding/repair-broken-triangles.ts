import { createPrng } from '../arrangement/perturb-vertices.js';
import type { EditableMesh } from '../editing/editable-mesh.js';
import { repairTriangle } from './repair-triangle.js';

/** How far the surface goes at most, in steps of float32, one size after the other: the least that helps is kept. */
const ULP_LIMITS = [1, 2, 4, 8, 16, 32, 64, 128, 256];
/** Times that all that is left is gone through at each size. */
const PASSES = 2;
/** Gives up where so many sizes, one after the other, help nothing. */
const MAX_STALLED_LIMITS = 3;
/** More bad triangles than this are no matter of a few vertices: the model is finer than float32 there. */
const MAX_BROKEN_TRIANGLES = 20_000;
/** Gives up after so many pairs of triangles were looked at, with some more for each bad one: some ten seconds at most. */
const MIN_TEST_BUDGET = 1_000_000;
const TESTS_PER_TRIANGLE = 5000;
const MAX_TEST_BUDGET = 20_000_000;

/**
 * Undoes what rounding did to a surface: triangles in `bad` that lost their area, or cross others. Each is mended by the least that helps. Answers the triangles that are still bad.
 */
export function repairBrokenTriangles(surface: EditableMesh, bad: readonly number[]): number[] {
  const random = createPrng(1);
  let remaining = [...bad];
  if (remaining.length > MAX_BROKEN_TRIANGLES) return remaining;
  const maxWork = Math.min(MAX_TEST_BUDGET, MIN_TEST_BUDGET + bad.length * TESTS_PER_TRIANGLE);
  let stalledCount = 0;
  for (const reach of ULP_LIMITS) {
    const leftBefore = remaining.length;
    for (let pass = 0; pass < PASSES; pass++) {
      if (remaining.length === 0 || surface.testCount > maxWork) return remaining;
      for (const triangle of remaining)
        if (surface.testCount <= maxWork) repairTriangle(surface, triangle, reach, random);
      const seen = new Set([...remaining, ...surface.drainChanged()]);
      remaining = [...seen].filter((triangle) => surface.countDefects([triangle], 1) > 0).sort((a, b) => a - b);
    }
    stalledCount = remaining.length < leftBefore ? 0 : stalledCount + 1;
    if (stalledCount === MAX_STALLED_LIMITS) break;
  }
  return remaining;
}
