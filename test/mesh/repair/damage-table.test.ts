import 'should';
import { analyze } from '../../../src/mesh/analysis/analyze.js';
import { verdictOf } from '../../../src/mesh/analysis/verdict.js';
import { repair } from '../../../src/mesh/repair/repair.js';
import { countOf, sample } from '../../helpers/counts.js';
import { listDamageCases } from '../models/damage-cases.js';

const CASES = sample(listDamageCases(1), countOf('cells of the damage table'));

describe('repair of 13 bodies, damaged in 13 ways', () => {
  for (const { name, spoil, scaleFactor, createBody, createDamaged, transform } of CASES) {
    it(`restores a solid with the original volume: ${name}`, () => {
      const original = createBody();
      const damaged = createDamaged(original);
      const truthMm3 = spoil.truthMm3?.(damaged) ?? analyze(original).volumeMm3;
      const { mesh, report, isSuccessful } = repair(transform(damaged));
      isSuccessful.should.be.true();
      const analysis = analyze(mesh);
      analysis.should.deepEqual(report.after);
      verdictOf(analysis).should.deepEqual({ level: 'solid', needsRepair: false, reasons: [] });
      (analysis.volumeMm3 / scaleFactor ** 3).should.be.approximately(truthMm3, truthMm3 * spoil.tolerance);
    });
  }
});
