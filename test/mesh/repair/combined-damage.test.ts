import should from 'should';
import { analyze } from '../../../src/mesh/analysis/analyze.js';
import { verdictOf } from '../../../src/mesh/analysis/verdict.js';
import { repair } from '../../../src/mesh/repair/repair.js';
import { countOf, sample } from '../../helpers/counts.js';
import { listNearDuplicates, listPairs } from '../models/combined-cases.js';
import { compareWithTruth } from '../models/compare-with-truth.js';

/** Cases that are not restored, and why or by how much. No others in a run of all cases. */
const NOT_RESTORED: Readonly<Record<string, string>> = {
  'bracket: a membrane inside, then a large hole; a thousand times as large (seed 488)':
    'rays through the hole find that the membrane is not inside, and the surface in front of it becomes a body of its own',
  'bracket: a hundredth missing, then a twentieth nearly twice; a thousand times as large (seed 33)':
    'the volume is 1.0 % too large',
  'perforated plate: a large hole, then a twentieth nearly twice; a thousandth as large (seed 49)':
    'the volume is 9.2 % too small',
};

describe('repair of 13 bodies with combined damage', () => {
  for (const [description, cases] of [
    ['two of 13 kinds', listPairs()],
    ['near-duplicates and another kind', listNearDuplicates()],
  ] as const) {
    describe(description, () => {
      const sampled = new Set(sample(cases, countOf('pairs of damage')));
      for (const tested of cases) {
        const { name, toleranceFraction, createDamaged, createTruth } = tested;
        const reason = NOT_RESTORED[name];
        if (reason !== undefined)
          it(`does not restore the solid, and does not overstate the level: ${name}: ${reason}`, () => {
            const { mesh, report } = repair(createDamaged());
            should(compareWithTruth(mesh, createTruth(), toleranceFraction)).be.a.String();
            report.verdict.level.should.equal(verdictOf(analyze(mesh)).level);
          });
        else if (sampled.has(tested))
          it(`restores the solid: ${name}`, () => {
            const { mesh, isSuccessful, reason: failure } = repair(createDamaged());
            should(isSuccessful).equal(true, failure);
            should(compareWithTruth(mesh, createTruth(), toleranceFraction)).be.undefined();
          });
      }
    });
  }
});
