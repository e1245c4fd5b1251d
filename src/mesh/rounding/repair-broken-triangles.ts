import { createPrng } from '../core/prng.js';
import type { WorkCounter } from '../core/work-counter.js';
import type { EditableMesh } from '../editing/editable-mesh.js';
import type { Point } from '../geometry/far-origin.js';
import { repairTriangle } from './repair-triangle.js';

/** Limits of the displacement in float32 ulps, tried in ascending order. */
const ULP_LIMITS = [1, 2, 4, 8, 16, 32, 64, 128, 256];
/** Passes over the remaining triangles per limit. */
const PASSES = 2;
/** Stops after this many successive limits without progress. */
const MAX_STALLED_LIMITS = 3;
/**
 * With more broken triangles than this, the details of the model are below the float32 resolution: nothing is repaired.
 */
const MAX_BROKEN_TRIANGLES = 20_000;
/** Limits of the tests of the edits (see `EditableMesh`), in total and per triangle: broken ones, and those repaired so far. */
const MIN_TEST_BUDGET = 2_500_000;
const TESTS_PER_TRIANGLE = 12_000;
const MAX_TEST_BUDGET = 50_000_000;

/** Returns the limit of the tests of the edits that repair so many broken triangles, at most what is left of `work`. */
export function limitTests(brokenCount: number, work: WorkCounter): number {
  return Math.min(MAX_TEST_BUDGET, MIN_TEST_BUDGET + brokenCount * TESTS_PER_TRIANGLE, work.remaining());
}

/**
 * Repairs the triangles that rounding to float32 broke, which are degenerate or intersect others. Uses the smallest
 * displacement that removes the defects of each. Stops if it takes too many tests for what it repairs. Deterministic.
 *
 * @param origin the point relative to which positions are float32
 * @param work counts the tests of the edits, which the surface limits
 * @returns the triangles that are still broken, in ascending order; those that were not tested again before the limit
 * count as broken
 */
export function repairBrokenTriangles(
  surface: EditableMesh,
  broken: readonly number[],
  origin: Point,
  work: WorkCounter,
): number[] {
  if (broken.length > MAX_BROKEN_TRIANGLES) {
    work.add(Number.POSITIVE_INFINITY);
    return [...broken];
  }
  const remaining = repairWithinLimits(surface, broken, origin);
  work.add(surface.testCount);
  return remaining;
}

function repairWithinLimits(surface: EditableMesh, broken: readonly number[], origin: Point): number[] {
  const random = createPrng(1);
  let remaining = [...broken];
  let stalledCount = 0;
  let repairedCount = 0;
  const isStopped = () =>
    surface.isExhausted || surface.testCount > MIN_TEST_BUDGET + repairedCount * TESTS_PER_TRIANGLE;
  for (const maxUlps of ULP_LIMITS) {
    const previousCount = remaining.length;
    for (let pass = 0; pass < PASSES; pass++) {
      if (remaining.length === 0 || isStopped()) return remaining;
      for (const triangle of remaining) {
        if (isStopped()) break;
        repairTriangle(surface, triangle, { maxUlps, origin, random });
        if (!surface.isDefective(triangle)) repairedCount++;
      }
      const candidates = new Set([...remaining, ...surface.drainChanged()]);
      remaining = [...candidates].filter((triangle) => surface.isDefective(triangle)).sort((a, b) => a - b);
    }
    stalledCount = remaining.length < previousCount ? 0 : stalledCount + 1;
    if (stalledCount === MAX_STALLED_LIMITS) break;
  }
  return remaining;
}
