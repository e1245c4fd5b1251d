import should from 'should';
import type { InnerShellRule, ReportWarning } from '../../../src/mesh/analysis/report.js';
import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { createGainWarnings, createLossWarnings, listLossReasons } from '../../../src/mesh/repair/ledger.js';
import { repair } from '../../../src/mesh/repair/repair.js';
import { createMeshIndex } from '../../../src/mesh/spatial/mesh-index.js';
import { toTaggedMesh } from '../../../src/mesh/topology/tagged-mesh.js';
import { makeBox } from '../models/compositions.js';
import { makeCube } from '../models/cube.js';
import { joined, placed, turnedOver, without } from '../models/mesh-of.js';
import { SPOILS, spoilt } from '../models/spoils.js';
import { makeTorus } from '../models/torus.js';

const torus = makeTorus(16, 8);
const boxes = [0, 1, 2].map((x) => makeBox([x, 0, 0], [1, 1, 1]));

describe('the ledger of a repair', () => {
  const cases: Record<string, IndexedMesh> = {
    ...Object.fromEntries(Object.entries(SPOILS).map(([name, spoil]) => [`a torus, ${name}`, spoilt(torus, spoil, 5)])),
    'three boxes that touch': joined(...boxes),
    'two cubes that overlap': joined(makeCube(), placed(makeCube(), [0.5, 0.5, 0.5])),
  };
  for (const [name, mesh] of Object.entries(cases)) {
    it(`adds up: ${name}`, () => {
      const { before, after, steps, volumeChangeMm3 } = repair(mesh).report;
      const sum = (
        field: 'removedTriangles' | 'addedTriangles' | 'removedShells' | 'addedShells' | 'volumeChangeMm3',
      ) => steps.reduce((total, step) => total + (step[field] ?? 0), 0);
      should(sum('addedTriangles') - sum('removedTriangles')).equal(after.triangles - before.triangles);
      should(sum('addedShells') - sum('removedShells')).equal(after.shells - before.shells);
      sum('volumeChangeMm3').should.be.approximately(volumeChangeMm3, 1e-9 * after.volumeMm3);
      for (const { changed, reason } of steps) if (changed > 0) should(reason).be.a.String();
    });
  }

  it('counts the objects of which nothing is left', () => {
    const hollow = joined(makeBox([0, 0, 0], [3, 3, 3]), turnedOver(makeBox([1, 1, 1], [1, 1, 1])));
    const objects = [
      { name: 'hollow', firstTriangle: 0, triangleCount: 24 },
      { name: 'core', firstTriangle: 24, triangleCount: 12 },
    ];
    const { steps } = repair({ ...joined(hollow, makeBox([1, 1, 1], [1, 1, 1])), objects }).report;
    steps
      .flatMap(({ name, removedObjects }) => (removedObjects ? [{ name, removedObjects }] : []))
      .should.deepEqual([{ name: 'clean', removedObjects: 1 }]);
  });
});

describe('createLossWarnings', () => {
  const warn = (source: IndexedMesh, result: IndexedMesh) =>
    createLossWarnings({ mesh: toTaggedMesh(source), index: createMeshIndex(source) }, createMeshIndex(result), {
      maxDisplacementMm: 0,
      innerShells: [],
    });

  it('warns of bodies that are missing, with their volume', () => {
    const [first = makeCube(), ...others] = boxes;
    warn(joined(first, placed(makeCube(), [9, 0, 0])), first).should.deepEqual([
      {
        code: 'UNEXPLAINED_LOSS',
        message:
          '1 body has lost 8.00 mm³, for a reason that the repair does not know. Compare the result with the model.',
      },
    ]);
    warn(joined(...others.map((box) => placed(box, [5, 0, 0])), first), first)[0]?.message.should.startWith(
      '2 bodies have lost 2.00 mm³',
    );
  });

  it('does not warn of a repair that keeps all bodies', () => {
    for (const mesh of [without(torus, 3), joined(...boxes), joined(makeCube(), placed(makeCube(), [0.5, 0.5, 0.5]))])
      repair(mesh)
        .report.warnings.filter(({ code }) => code === 'UNEXPLAINED_LOSS')
        .should.deepEqual([]);
  });
});

describe('createGainWarnings', () => {
  it('warns of what the result has more than the model, unless the rule is to merge inner shells', () => {
    const box = makeBox([0, 0, 0], [10, 10, 10]);
    const core = makeBox([3, 3, 3], [3, 3, 3]);
    const source = joined(box, turnedOver(core));
    const innerShells = [
      { outcome: 'merged' as const, x: 4.5, y: 4.5, z: 4.5, sizeMm: 3 * Math.sqrt(3), volumeMm3: 27 },
    ];
    const warn = (rule: InnerShellRule) =>
      createGainWarnings(
        { mesh: toTaggedMesh(source), index: createMeshIndex(source) },
        createMeshIndex(box),
        { maxDisplacementMm: 0, innerShells },
        rule,
      );
    warn('auto').should.match([
      { code: 'UNEXPLAINED_GAIN', message: /^The result encloses \d+\.\d mm³ that the model does not/ },
    ]);
    warn('merge').should.deepEqual([]);
  });
});

describe('listLossReasons', () => {
  const warning = (code: ReportWarning['code']) => ({ code, message: '' });

  it('returns a reason for a loss without an explanation and for dropped walls, and none for other warnings', () => {
    listLossReasons([
      warning('UNEXPLAINED_LOSS'),
      warning('VOLUME_CHANGED'),
      warning('SHEETS_DROPPED'),
    ]).should.deepEqual(['volume lost without an explanation', 'walls without thickness were dropped']);
  });
});
