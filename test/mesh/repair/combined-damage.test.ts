import should from 'should';
import { repair } from '../../../src/mesh/repair/repair.js';
import { listNearDuplicates, listPairs } from '../models/combined-cases.js';
import { compareWithTruth } from '../models/compare-with-truth.js';

/** Every n-th case is tested; `npm run soak` tests all of them. No multiple of 13, the number of solids. */
const EACH = Number(process.env.COMBINED_DAMAGE_EACH ?? 11);

describe('repair of 13 bodies with combined damage', () => {
  for (const [description, cases] of [
    ['two of 13 kinds', listPairs()],
    ['near-duplicates and another kind', listNearDuplicates()],
  ] as const) {
    describe(description, () => {
      for (const [index, { name, toleranceFraction, createDamaged, createTruth }] of cases.entries()) {
        if (index % EACH !== 0) continue;
        it(`restores the solid: ${name}`, () => {
          const { mesh, isSuccessful, reason } = repair(createDamaged());
          should(isSuccessful).equal(true, reason);
          should(compareWithTruth(mesh, createTruth(), toleranceFraction)).be.undefined();
        });
      }
    });
  }
});
