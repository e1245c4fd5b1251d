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

function body() {
  return placed(makeCube(), [0, 0, 0], 10);
}
function hollow() {
  return turnedOver(placed(makeCube(), [0, 0, 0], 6));
}
function part() {
  return placed(makeCube(), [1, 2, 3]);
}
/** The bodies with one inverted triangle in the first: the winding of the file cannot be trusted. */
function inconsistent(...bodies: IndexedMesh[]) {
  return turnedOver(joined(...bodies), 5);
}

const TRANSFORMS: readonly [string, (mesh: IndexedMesh) => IndexedMesh, number][] = [
  ['', (mesh) => mesh, 1],
  [', rotated', rotated, 1],
  [', shuffled', shuffled, 1],
  [', a thousand times as large', (mesh) => placed(mesh, [0, 0, 0], 1000), 1000],
];

/** Repairs a mesh. Returns its volume and the outcomes of its inner shells, by descending size. */
function repairToSolid(mesh: IndexedMesh, innerShells?: InnerShellRule) {
  const { mesh: result, report, isSuccessful } = repair(mesh, { innerShells });
  isSuccessful.should.be.true();
  report.verdict.level.should.equal('solid');
  const listed = (report.innerShells ?? []).toSorted((a, b) => b.sizeMm - a.sizeMm);
  return { volumeMm3: analyze(result).volumeMm3, outcomes: listed.map(({ outcome }) => outcome), listed, report };
}

describe('repair of closed shells inside others', () => {
  for (const [suffix, change, factor] of TRANSFORMS) {
    const check = (mesh: IndexedMesh, rule: InnerShellRule | undefined, volumeMm3: number, outcomes: string[]) => {
      const result = repairToSolid(change(mesh), rule);
      result.volumeMm3.should.be.approximately(volumeMm3 * factor ** 3, volumeMm3 * factor ** 3 * 1e-6);
      result.outcomes.should.deepEqual(outcomes);
    };

    it(`keeps a void that faces inward${suffix}`, () => {
      check(joined(body(), turnedOver(part())), undefined, BODY_MM3 - MAGNET_MM3, ['kept']);
      check(inconsistent(body(), turnedOver(part())), undefined, BODY_MM3 - MAGNET_MM3, ['kept']);
    });

    it(`makes an outward shell a void if the file is inconsistently wound${suffix}`, () => {
      check(inconsistent(body(), part()), undefined, BODY_MM3 - MAGNET_MM3, ['void']);
    });

    it(`keeps a void in a file that is inverted as a whole${suffix}`, () => {
      check(turnedOver(joined(body(), turnedOver(part()))), undefined, BODY_MM3 - MAGNET_MM3, ['void']);
    });

    it(`merges an outward shell of a consistent file, or makes it a void by the rule void${suffix}`, () => {
      check(joined(body(), part()), undefined, BODY_MM3, ['merged']);
      check(joined(body(), part()), 'void', BODY_MM3 - MAGNET_MM3, ['void']);
    });

    it(`keeps a cavity and a captive part in it, for any winding of the file${suffix}`, () => {
      const remaining = BODY_MM3 - HOLLOW_MM3 + MAGNET_MM3;
      check(joined(body(), hollow(), part()), undefined, remaining, ['kept', 'kept']);
      check(turnedOver(joined(body(), hollow(), part())), undefined, remaining, ['void', 'kept']);
      check(inconsistent(body(), turnedOver(hollow()), turnedOver(part())), undefined, remaining, ['void', 'kept']);
    });

    it(`merges all shells by the rule merge, even in a solid${suffix}`, () => {
      check(joined(body(), hollow(), part()), 'merge', BODY_MM3, ['merged', 'merged']);
      check(inconsistent(body(), turnedOver(part())), 'merge', BODY_MM3, ['merged']);
    });
  }

  it('lists a shell with its center, size and volume', () => {
    const { listed } = repairToSolid(joined(body(), turnedOver(part())));
    should(listed[0]).match({ outcome: 'kept', x: 1, y: 2, z: 3, volumeMm3: 8 });
    (listed[0]?.sizeMm ?? 0).should.be.approximately(Math.sqrt(12), 1e-9);
  });

  it('returns a solid unchanged by the rules auto and void', () => {
    const solid = joined(body(), hollow(), part());
    for (const rule of ['auto', 'void'] as const) repair(solid, { innerShells: rule }).mesh.should.equal(solid);
  });

  it('lists shells as kept if no bodies are united', () => {
    const { report } = repair(joined(body(), part()), { preserveTopology: true });
    should(report.innerShells?.map(({ outcome }) => outcome)).deepEqual(['kept']);
    report.verdict.level.should.equal('manifold');
  });

  it('does not list shells beside others or crossing them', () => {
    repairToSolid(joined(body(), placed(part(), [30, 0, 0]))).outcomes.should.be.empty();
    repairToSolid(joined(body(), placed(part(), [9, 0, 0]))).outcomes.should.be.empty();
  });
});
