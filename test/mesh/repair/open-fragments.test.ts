import 'should';
import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { REMOVE_OPEN_FRAGMENTS } from '../../../src/mesh/repair/open-fragments.js';
import { repair } from '../../../src/mesh/repair/repair.js';
import { makeCube } from '../models/cube.js';
import { joined, meshOf, placed, without } from '../models/mesh-of.js';
import { makeTorus } from '../models/torus.js';
import { runStep } from './run-step.js';

const TRIANGLE = meshOf(
  [
    [9, 0, 0],
    [9.5, 0, 0],
    [9, 0.5, 0],
  ],
  [[0, 1, 2]],
);
const SHEET = meshOf(
  [
    [0, 0, 9],
    [9, 0, 9],
    [9, 9, 9],
    [0, 9, 9],
  ],
  [
    [0, 1, 2],
    [0, 2, 3],
  ],
);

describe('the step open-fragments', () => {
  it('drops a stray triangle', () => {
    const { mesh, changed } = runStep(REMOVE_OPEN_FRAGMENTS, joined(makeCube(), TRIANGLE));
    changed.should.equal(1);
    mesh.should.deepEqual(makeCube());
  });

  it('keeps tiny closed shells', () => {
    runStep(REMOVE_OPEN_FRAGMENTS, joined(makeTorus(), placed(makeCube(), [90, 0, 0], 1e-3))).changed.should.equal(0);
  });

  it('keeps shells with holes', () => {
    runStep(
      REMOVE_OPEN_FRAGMENTS,
      joined(makeTorus(), placed(without(makeCube(), 2, 3), [90, 0, 0], 0.01)),
    ).changed.should.equal(0);
  });

  it('keeps a sheet that is larger than the rest', () => {
    runStep(REMOVE_OPEN_FRAGMENTS, joined(makeCube(), SHEET)).changed.should.equal(0);
  });

  it('warns of a dropped sheet outside of the bodies, not of one inside, or of a stray triangle', () => {
    const warningsOf = (sheet: IndexedMesh) =>
      repair(joined(makeCube(), sheet)).report.warnings.map(({ code }) => code);
    warningsOf(placed(SHEET, [2, 0, 0], 0.05)).should.deepEqual(['SHEETS_DROPPED']);
    warningsOf(placed(SHEET, [-0.2, -0.2, -0.4], 0.05)).should.deepEqual([]);
    warningsOf(TRIANGLE).should.deepEqual([]);
  });

  it('keeps all triangles if the mesh consists of fragments only', () => {
    runStep(
      REMOVE_OPEN_FRAGMENTS,
      joined(...Array.from({ length: 50 }, (_, i) => placed(TRIANGLE, [0, 0, i]))),
    ).changed.should.equal(0);
  });

  it('drops at most 5 % of the total area', () => {
    const fragments = Array.from({ length: 100 }, (_, i) => placed(TRIANGLE, [0, 0, i]));
    // The cube has 24 mm², each fragment 0.125 mm².
    const { analysis } = runStep(REMOVE_OPEN_FRAGMENTS, joined(makeCube(), ...fragments));
    analysis.surfaceAreaMm2.should.be.above(36.5 * 0.95 - 1e-9);
  });
});
