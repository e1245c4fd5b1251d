import 'should';
import { analyze } from '../../../src/mesh/analysis/analyze.js';
import { repair } from '../../../src/mesh/repair/repair.js';
import { turnedOver } from '../models/mesh-of.js';
import { makeTorus } from '../models/torus.js';
import { rotated, shuffled } from '../models/transform.js';

const RINGS = 113;
const SIDES = 41;

/** The triangles of rings `from` up to, not including, `to`. */
const ringsOf = (from: number, to: number): number[] =>
  Array.from({ length: (to - from) * SIDES * 2 }, (_, i) => from * SIDES * 2 + i);

/** A closed body of 9,266 triangles, of which two stretches and three single triangles are turned over: 4 * 41 + 3 * 3 edges contradict. */
const makeContradictory = () =>
  turnedOver(makeTorus(RINGS, SIDES), ...ringsOf(10, 35), ...ringsOf(60, 72), 0, 4 * SIDES * 2 + 20, 100 * SIDES * 2);

describe('a closed model whose triangles contradict each other in winding', () => {
  const truthMm3 = analyze(makeTorus(RINGS, SIDES)).volumeMm3;
  for (const [way, change] of [
    ['', (mesh) => mesh],
    [', rotated', rotated],
    [', shuffled', shuffled],
  ] as [string, (mesh: ReturnType<typeof makeTorus>) => ReturnType<typeof makeTorus>][]) {
    it(`has its bad edges counted, though none is open${way}`, () => {
      const { triangles, badEdges, boundaryEdges, badContours, inconsistentEdges, volumeMm3 } = analyze(
        change(makeContradictory()),
      );
      ({ triangles, badEdges, boundaryEdges, badContours, inconsistentEdges }).should.deepEqual({
        triangles: 9266,
        badEdges: 173,
        boundaryEdges: 0,
        badContours: 0,
        inconsistentEdges: 173,
      });
      volumeMm3.should.be.below(truthMm3 * 0.6);
    });

    it(`is turned, and has its true volume then${way}`, () => {
      const { mesh, report, isSuccessful } = repair(change(makeContradictory()));
      isSuccessful.should.be.true();
      report.verdict.level.should.equal('solid');
      analyze(mesh).volumeMm3.should.be.approximately(truthMm3, truthMm3 * 1e-9);
      report.after.triangles.should.equal(9266);
      report.maxDisplacementMm.should.equal(0);
      report.steps
        .filter(({ changed }) => changed > 0)
        .map(({ name }) => name)
        .should.deepEqual(['orient']);
    });
  }
});
