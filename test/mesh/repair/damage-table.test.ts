import 'should';
import { analyze } from '../../../src/mesh/analysis/analyze.js';
import { verdictOf } from '../../../src/mesh/analysis/verdict.js';
import type { IndexedMesh } from '../../../src/mesh/mesh.js';
import { repair } from '../../../src/mesh/repair/repair.js';
import { BODIES } from '../models/bodies.js';
import { placed } from '../models/mesh-of.js';
import { SPOILS, spoilt } from '../models/spoils.js';
import { rotated, shuffled } from '../models/transform.js';

/** Every one of these many cells of the table is looked at; `npm run soak` takes all of them. */
const EACH = Number(process.env.DAMAGE_TABLE_EACH ?? 9);

const WAYS: readonly [string, (mesh: IndexedMesh) => IndexedMesh, number][] = [
  ['as it is', (mesh) => mesh, 1],
  ['rotated', (mesh) => rotated(mesh), 1],
  ['shuffled', (mesh) => shuffled(mesh), 1],
  ['a thousand times as large', (mesh) => placed(mesh, [0, 0, 0], 1000), 1000],
  ['a thousandth as large', (mesh) => placed(mesh, [0, 0, 0], 1e-3), 1e-3],
];

describe('thirteen bodies, spoilt in thirteen ways', function () {
  this.timeout(120_000);
  let cell = 0;
  for (const [body, make] of Object.entries(BODIES)) {
    for (const [damage, spoil] of Object.entries(SPOILS)) {
      const seed = cell++;
      if (seed % EACH !== 0) continue;
      const [way, change, factor] = WAYS[(seed / EACH) % WAYS.length] ?? WAYS[0] ?? [];
      if (!change || !factor) continue;
      it(`${body}, ${damage}, ${way}: solid again, with its volume`, () => {
        const sound = make();
        const broken = spoilt(sound, spoil, seed + 1);
        const truthMm3 = spoil.truthMm3?.(broken) ?? analyze(sound).volumeMm3;
        const { mesh, report, isSuccessful } = repair(change(broken));
        isSuccessful.should.be.true();
        const found = analyze(mesh);
        found.should.deepEqual(report.after);
        verdictOf(found).should.deepEqual({ level: 'solid', needsRepair: false, reasons: [] });
        (found.volumeMm3 / factor ** 3).should.be.approximately(truthMm3, truthMm3 * spoil.tolerance);
      });
    }
  }
});
