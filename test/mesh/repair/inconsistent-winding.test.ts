import 'should';
import { analyze } from '../../../src/mesh/analysis/analyze.js';
import { repair } from '../../../src/mesh/repair/repair.js';
import { turnedOver } from '../models/mesh-of.js';
import { makeTorus } from '../models/torus.js';
import { rotated, shuffled } from '../models/transform.js';

const RINGS = 113;
const SIDES = 41;

/** The triangles of the rings from `from` to `to`, exclusive. */
function ringsOf(from: number, to: number): number[] {
  return Array.from({ length: (to - from) * SIDES * 2 }, (_, i) => from * SIDES * 2 + i);
}

/**
 * A closed body of 9,266 triangles. Two sections and three single triangles are inverted: 4 * 41 + 3 * 3 edges are
 * inconsistent.
 */
function makeInconsistentTorus() {
  return turnedOver(
    makeTorus(RINGS, SIDES),
    ...ringsOf(10, 35),
    ...ringsOf(60, 72),
    0,
    4 * SIDES * 2 + 20,
    100 * SIDES * 2,
  );
}

describe('repair of a closed mesh with inconsistent winding', () => {
  const originalMm3 = analyze(makeTorus(RINGS, SIDES)).volumeMm3;
  for (const [suffix, change] of [
    ['', (mesh) => mesh],
    [', rotated', rotated],
    [', shuffled', shuffled],
  ] as [string, (mesh: ReturnType<typeof makeTorus>) => ReturnType<typeof makeTorus>][]) {
    it(`starts from 173 inconsistent edges and no boundary edges${suffix}`, () => {
      const { triangles, badEdges, boundaryEdges, badContours, inconsistentEdges, volumeMm3 } = analyze(
        change(makeInconsistentTorus()),
      );
      ({ triangles, badEdges, boundaryEdges, badContours, inconsistentEdges }).should.deepEqual({
        triangles: 9266,
        badEdges: 173,
        boundaryEdges: 0,
        badContours: 0,
        inconsistentEdges: 173,
      });
      volumeMm3.should.be.below(originalMm3 * 0.6);
    });

    it(`restores the volume by the step orient alone${suffix}`, () => {
      const { mesh, report, isSuccessful } = repair(change(makeInconsistentTorus()));
      isSuccessful.should.be.true();
      report.verdict.level.should.equal('solid');
      analyze(mesh).volumeMm3.should.be.approximately(originalMm3, originalMm3 * 1e-9);
      report.after.triangles.should.equal(9266);
      report.maxDisplacementMm.should.equal(0);
      report.steps
        .filter(({ changed }) => changed > 0)
        .map(({ name }) => name)
        .should.deepEqual(['orient']);
    });
  }
});
