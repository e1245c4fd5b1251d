import 'should';
import { analyze } from '../../../src/mesh/analysis/analyze.js';
import { repair } from '../../../src/mesh/repair/repair.js';
import { countOf, sampleNumbers } from '../../helpers/counts.js';
import { makeBox } from '../models/compositions.js';
import { joined, turnedOver } from '../models/mesh-of.js';
import { createVoidCase, loadVoidVolumes } from '../models/shapes/void-cases.js';

const CASES = 30;

describe('repair of voids in a shell that crosses itself', () => {
  let measure: Awaited<ReturnType<typeof loadVoidVolumes>>;

  before(async () => {
    measure = await loadVoidVolumes();
  });

  for (const seed of sampleNumbers(CASES, countOf('voids in a shell that crosses itself'))) {
    const voidCase = createVoidCase(seed);

    it(`keeps each void: ${voidCase.name}`, () => {
      const { mesh, report } = repair(voidCase.damaged);
      const { bodyMm3, voidsMm3 } = measure(voidCase);
      report.verdict.should.match({ level: 'solid', needsRepair: false });
      const errorMm3 = Math.abs(analyze(mesh).volumeMm3 - bodyMm3);
      errorMm3.should.be.belowOrEqual(Math.min(0.005 * bodyMm3, 0.02 * voidsMm3));
      (report.innerShells ?? []).map(({ outcome }) => outcome).should.deepEqual(voidCase.voids.map(() => 'kept'));
    });
  }

  it('lets another body that overlaps the void fill it', () => {
    const [box, other] = [makeBox([0, 0, 0], [10, 10, 10]), makeBox([5, 1, 1], [10, 8, 8])];
    const { mesh, report } = repair(joined(box, other, turnedOver(makeBox([6, 3, 3], [2, 2, 2]))));
    report.verdict.level.should.equal('solid');
    analyze(mesh).volumeMm3.should.be.approximately(1000 + 5 * 64, 0.01);
  });
});
