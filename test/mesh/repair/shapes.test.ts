import should from 'should';
import { repair } from '../../../src/mesh/repair/repair.js';
import { countOf, sampleNumbers } from '../../helpers/counts.js';
import { compareWithTruth } from '../models/compare-with-truth.js';
import { createShapeCase, SHAPE_KINDS } from '../models/shapes/shape-cases.js';

/** Cases of each kind. */
const CASES = 30;

describe('repair of shapes that a file defines in part', () => {
  for (const kind of Object.keys(SHAPE_KINDS))
    for (const seed of sampleNumbers(CASES, countOf('cases of a kind of shape'))) {
      const { name, damaged, truth, toleranceFraction } = createShapeCase(kind, seed);
      it(`restores the solid, or says that the result may be another one: ${name}`, () => {
        const { mesh, report, isSuccessful } = repair(damaged);
        if (!isSuccessful || report.warnings.length > 0) return;
        should.exist(truth);
        should(truth && compareWithTruth(mesh, truth, toleranceFraction)).be.undefined();
      });
    }
});
