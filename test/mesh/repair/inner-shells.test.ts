import should from 'should';
import { analyze } from '../../../src/mesh/analysis/analyze.js';
import type { InnerShellRule } from '../../../src/mesh/analysis/report.js';
import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { repair } from '../../../src/mesh/repair/repair.js';
import { makeCube } from '../models/cube.js';
import { joined, placed, turnedOver } from '../models/mesh-of.js';
import { rotated, shuffled } from '../models/transform.js';

const BODY_MM3 = 20 ** 3;
const HOLLOW_MM3 = 12 ** 3;
const MAGNET_MM3 = 2 ** 3;

const body = () => placed(makeCube(), [0, 0, 0], 10);
const hollow = () => turnedOver(placed(makeCube(), [0, 0, 0], 6));
const part = () => placed(makeCube(), [1, 2, 3]);
/** The bodies with a triangle of the first turned over: the file contradicts itself about which way it faces. */
const confused = (...bodies: IndexedMesh[]) => turnedOver(joined(...bodies), 5);

const WAYS: readonly [string, (mesh: IndexedMesh) => IndexedMesh, number][] = [
  ['', (mesh) => mesh, 1],
  [', rotated', rotated, 1],
  [', shuffled', shuffled, 1],
  [', a thousand times as large', (mesh) => placed(mesh, [0, 0, 0], 1000), 1000],
];

/** What becomes of a mesh: its volume, and the outcome for each inner shell in the order of their size. */
function repaired(mesh: IndexedMesh, innerShells?: InnerShellRule) {
  const { mesh: result, report, isSuccessful } = repair(mesh, { innerShells });
  isSuccessful.should.be.true();
  report.verdict.level.should.equal('solid');
  const listed = (report.innerShells ?? []).toSorted((a, b) => b.sizeMm - a.sizeMm);
  return { volumeMm3: analyze(result).volumeMm3, outcomes: listed.map(({ outcome }) => outcome), listed, report };
}

describe('closed shells inside others', () => {
  for (const [way, change, factor] of WAYS) {
    const check = (mesh: IndexedMesh, rule: InnerShellRule | undefined, volumeMm3: number, outcomes: string[]) => {
      const result = repaired(change(mesh), rule);
      result.volumeMm3.should.be.approximately(volumeMm3 * factor ** 3, volumeMm3 * factor ** 3 * 1e-6);
      result.outcomes.should.deepEqual(outcomes);
    };

    it(`stay voids for magnets where they face inward${way}`, () => {
      check(joined(body(), turnedOver(part())), undefined, BODY_MM3 - MAGNET_MM3, ['kept']);
      check(confused(body(), turnedOver(part())), undefined, BODY_MM3 - MAGNET_MM3, ['kept']);
    });

    it(`become voids for magnets where they face outward in a file that contradicts itself${way}`, () => {
      check(confused(body(), part()), undefined, BODY_MM3 - MAGNET_MM3, ['void']);
    });

    it(`stay voids for magnets in a file that is inside out as a whole${way}`, () => {
      check(turnedOver(joined(body(), turnedOver(part()))), undefined, BODY_MM3 - MAGNET_MM3, ['void']);
    });

    it(`merge where the file is sound and lets them face outward, unless they are to be voids${way}`, () => {
      check(joined(body(), part()), undefined, BODY_MM3, ['merged']);
      check(joined(body(), part()), 'void', BODY_MM3 - MAGNET_MM3, ['void']);
    });

    it(`stay a hollow and a captive part in it, whatever way the file winds them${way}`, () => {
      const remaining = BODY_MM3 - HOLLOW_MM3 + MAGNET_MM3;
      check(joined(body(), hollow(), part()), undefined, remaining, ['kept', 'kept']);
      check(turnedOver(joined(body(), hollow(), part())), undefined, remaining, ['void', 'kept']);
      check(confused(body(), turnedOver(hollow()), turnedOver(part())), undefined, remaining, ['void', 'kept']);
    });

    it(`all merge where they are told to, also in a mesh that is a solid${way}`, () => {
      check(joined(body(), hollow(), part()), 'merge', BODY_MM3, ['merged', 'merged']);
      check(confused(body(), turnedOver(part())), 'merge', BODY_MM3, ['merged']);
    });
  }

  it('are told by their middle, their size and what they enclose', () => {
    const { listed } = repaired(joined(body(), turnedOver(part())));
    should(listed[0]).match({ outcome: 'kept', x: 1, y: 2, z: 3, volumeMm3: 8 });
    (listed[0]?.sizeMm ?? 0).should.be.approximately(Math.sqrt(12), 1e-9);
  });

  it('leave a solid as it is, vertex for vertex, when they are kept', () => {
    const solid = joined(body(), hollow(), part());
    for (const rule of ['auto', 'void'] as const) repair(solid, { innerShells: rule }).mesh.should.equal(solid);
  });

  it('are said to be kept where no bodies are united', () => {
    const { report } = repair(joined(body(), part()), { preserveTopology: true });
    should(report.innerShells?.map(({ outcome }) => outcome)).deepEqual(['kept']);
    report.verdict.level.should.equal('manifold');
  });

  it('are no shells that only lie beside others, or cross them', () => {
    repaired(joined(body(), placed(part(), [30, 0, 0]))).outcomes.should.be.empty();
    repaired(joined(body(), placed(part(), [9, 0, 0]))).outcomes.should.be.empty();
  });
});
