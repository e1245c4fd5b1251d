import 'should';
import { analyze } from '../../../src/mesh/analysis/analyze.js';
import { verdictOf } from '../../../src/mesh/analysis/verdict.js';
import { repair } from '../../../src/mesh/repair/repair.js';
import { listDamageCases } from '../models/damage-cases.js';

/** Every one of these many cells of the table is looked at; `npm run soak` takes all of them. */
const EACH = Number(process.env.DAMAGE_TABLE_EACH ?? 9);

describe('thirteen bodies, spoilt in thirteen ways', function () {
  this.timeout(120_000);
  for (const { name, spoil, scaleFactor, createBody, createDamaged, transform } of listDamageCases(EACH)) {
    it(`${name}: solid again, with its volume`, () => {
      const sound = createBody();
      const broken = createDamaged(sound);
      const truthMm3 = spoil.truthMm3?.(broken) ?? analyze(sound).volumeMm3;
      const { mesh, report, isSuccessful } = repair(transform(broken));
      isSuccessful.should.be.true();
      const analysis = analyze(mesh);
      analysis.should.deepEqual(report.after);
      verdictOf(analysis).should.deepEqual({ level: 'solid', needsRepair: false, reasons: [] });
      (analysis.volumeMm3 / scaleFactor ** 3).should.be.approximately(truthMm3, truthMm3 * spoil.tolerance);
    });
  }
});
