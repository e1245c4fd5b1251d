import should from 'should';
import { analyze, analyzeWithPlaces } from '../../../src/mesh/analysis/analyze.js';
import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { repair } from '../../../src/mesh/repair/repair.js';
import { makeSoundBracket } from '../models/bracket.js';
import { makeCube } from '../models/cube.js';
import { DAMAGES } from '../models/damages.js';
import { joined, meshOf, placed, turnedOver, without } from '../models/mesh-of.js';
import { createRandom } from '../models/random.js';
import { makeTorus } from '../models/torus.js';
import { rotated, shuffled } from '../models/transform.js';

/** The eight unit cells of a cube of 2 mm, as offsets. */
const cellOffsets = [0, 1].flatMap((x) => [0, 1].flatMap((y) => [0, 1].map((z) => [x, y, z] as const)));

function countChanges(mesh: IndexedMesh) {
  return Object.fromEntries(
    repair(mesh)
      .report.steps.filter(({ changed }) => changed > 0)
      .map(({ name, changed }) => [name, changed]),
  );
}

describe('repair', () => {
  for (const [name, make, tolerance] of [
    ['bracket', makeSoundBracket, 1e-3],
    ['torus', makeTorus, 1e-2],
  ] as const) {
    describe(`of a ${name}`, () => {
      const expectedMm3 = analyze(make()).volumeMm3;
      for (const [damage, spoil] of Object.entries(DAMAGES)) {
        for (const [suffix, change] of [
          ['', (mesh: IndexedMesh) => mesh],
          [', rotated', rotated],
          [', shuffled', shuffled],
        ] as const) {
          it(`makes it solid after the damage "${damage}"${suffix}`, () => {
            const { report, isSuccessful } = repair(change(spoil(make())));
            isSuccessful.should.be.true();
            report.verdict.should.deepEqual({ level: 'solid', needsRepair: false, reasons: [] });
            report.after.volumeMm3.should.be.approximately(expectedMm3, expectedMm3 * tolerance);
          });
        }
      }

      it('makes it solid at a thousandth and at a thousand times the size', () => {
        const damaged = DAMAGES['a hundredth of the triangles missing'](make());
        for (const factor of [1e-3, 1e3]) {
          const { report } = repair(placed(damaged, [0, 0, 0], factor));
          report.verdict.level.should.equal('solid');
          report.after.volumeMm3.should.be.approximately(
            expectedMm3 * factor ** 3,
            expectedMm3 * factor ** 3 * tolerance,
          );
        }
      });
    });
  }

  it('returns a solid unchanged, with no steps in the report', () => {
    const cavity = joined(placed(makeCube(), [0, 0, 0], 3), turnedOver(makeCube()));
    for (const solid of [makeCube(), makeTorus(), cavity]) {
      const { mesh, report, isSuccessful } = repair(solid);
      mesh.should.equal(solid);
      isSuccessful.should.be.true();
      report.steps.should.be.empty();
      report.after.should.deepEqual(report.before);
    }
  });

  it('returns the same bytes each time', () => {
    const damaged = () => DAMAGES['cracks along every fifth triangle'](makeTorus());
    repair(damaged()).mesh.should.deepEqual(repair(damaged()).mesh);
  });

  it('does not change the input mesh', () => {
    const opened = without(makeCube(), 2);
    repair(opened);
    opened.should.deepEqual(without(makeCube(), 2));
  });

  it('changes nothing when it repairs its own result', () => {
    const { mesh } = repair(without(makeTorus(), 3, 4, 5, 60));
    countChanges(mesh).should.be.empty();
  });

  it('keeps objects, and adds the filling of a hole to the object around it', () => {
    const two = { ...joined(makeCube(), placed(makeCube(), [5, 0, 0])) };
    const { mesh } = repair({
      ...without(two, 2, 3, 14),
      objects: [
        { name: 'first', firstTriangle: 0, triangleCount: 10 },
        { name: 'second', firstTriangle: 10, triangleCount: 11 },
      ],
    });
    (mesh.objects ?? []).should.deepEqual([
      { name: 'first', firstTriangle: 0, triangleCount: 12 },
      { name: 'second', firstTriangle: 12, triangleCount: 12 },
    ]);
    const xOf = (triangle: number) => mesh.positions[(mesh.triangles[triangle * 3] ?? 0) * 3] ?? 0;
    Array.from({ length: 12 }, (_, i) => xOf(i))
      .every((x) => x < 2)
      .should.be.true();
  });

  it('makes a solid of bodies that touch along an edge', () => {
    // Two cubes side by side: four triangles share one edge.
    const touching = joined(makeCube(), placed(makeCube(), [2, 2, 0]));
    const { report, isSuccessful } = repair(touching);
    isSuccessful.should.be.true();
    report.after.nonManifoldEdges.should.equal(0);
    report.after.volumeMm3.should.be.approximately(16, 1e-3);
    report.verdict.level.should.equal('solid');
  });

  it('unites two bodies that overlap', () => {
    const { report, isSuccessful } = repair(joined(makeCube(), placed(makeCube(), [1, 1, 1])));
    isSuccessful.should.be.true();
    report.verdict.level.should.equal('solid');
    report.after.volumeMm3.should.be.approximately(15, 1e-3);
    report.after.shells.should.equal(1);
    should(report.steps.at(-1)?.name).equal('intersections');
    should(report.steps.at(-1)?.changed).be.above(0);
  });

  it('makes a solid of 15 cubes that overlap, touch and share triangles, with the volume of their union', () => {
    for (const seed of [1, 2, 3]) {
      const random = createRandom(seed);
      const offsets = Array.from({ length: 15 }, () => [0, 1, 2].map(() => Math.floor(random() * 5)));
      const cells = new Set(
        offsets.flatMap(([x = 0, y = 0, z = 0]) => cellOffsets.map(([a, b, c]) => `${x + a} ${y + b} ${z + c}`)),
      );
      const { report } = repair(joined(...offsets.map((offset) => placed(makeCube(), offset))));
      report.verdict.level.should.equal('solid');
      report.after.volumeMm3.should.be.approximately(cells.size, cells.size * 1e-3);
    }
  });

  it('fails without throwing for a flat sheet, because it encloses no volume', () => {
    const sheet = meshOf(
      [
        [0, 0, 0],
        [1, 0, 0],
        [1, 1, 0],
        [0, 1, 0],
      ],
      [
        [0, 1, 2],
        [0, 2, 3],
      ],
    );
    const { isSuccessful, reason, report } = repair(sheet);
    isSuccessful.should.be.false();
    (reason ?? '').should.match(/no volume/);
    report.verdict.should.match({ level: 'open', needsRepair: true });
    report.after.triangles.should.equal(2);
  });

  it('fails for a sheet that is flat but for the float32 precision of coordinates far from the origin', () => {
    // An upright rectangle of 9 mm by 70 mm, 8 m away, with further points on two sides.
    const outline = [
      [0, 0],
      [9, 0],
      [9, 62],
      [9, 66],
      [9, 70],
      [5, 70],
      [3, 70],
      [0, 70],
    ];
    const triangles = [1, 2, 3, 4, 5, 6].map((i) => [0, i, i + 1]);
    const makeSheet = (bendMm: number) =>
      meshOf(
        outline.map(([s = 0, z = 0], i) => {
          const offset = i === 5 ? bendMm : 0;
          return [8432 + s * 0.28, 6092 - s * 0.96 + offset, z + 2.4].map(Math.fround);
        }),
        triangles,
      );
    const { isSuccessful, reason } = repair(makeSheet(0));
    isSuccessful.should.be.false();
    (reason ?? '').should.match(/no volume/);
    // One that is bent by more than the tolerance is a relief, which its filling leads back over.
    repair(makeSheet(1)).isSuccessful.should.be.false();
  });

  it('closes a plate thinner than the tolerance of sheets, because it has two sides', () => {
    const plate = placed(makeCube(), [0, 0, 0]);
    const thin = { ...plate, positions: plate.positions.map((value, i) => (i % 3 === 2 ? value * 5e-5 : value)) };
    const { isSuccessful, report } = repair(without(thin, 4));
    isSuccessful.should.be.true();
    report.after.volumeMm3.should.be.approximately(4e-4, 1e-9);
  });

  it('fails for a sheet whose volume is only a rounding error', () => {
    // Corners in an oblique plane, rounded to six digits: a square, and two of the triangles at its other diagonal.
    const pointOnPlane = (x: number, y: number): [number, number, number] => [x, y, Number((x / 3 + y / 7).toFixed(6))];
    const sheet = meshOf(
      [pointOnPlane(0, 0), pointOnPlane(1, 0.1), pointOnPlane(1.1, 1.2), pointOnPlane(0.1, 0.9)],
      [
        [3, 2, 1],
        [3, 1, 0],
        [3, 2, 1],
        [3, 1, 0],
        [2, 1, 0],
        [3, 2, 0],
      ],
    );
    const { isSuccessful, reason } = repair(sheet);
    isSuccessful.should.be.false();
    (reason ?? '').should.match(/no volume/);
  });

  it('suggests shrinkwrap if the result is not a solid', () => {
    // With preserveTopology, bodies that cross are not united.
    const crossing = joined(makeCube(), placed(makeCube(), [1, 1, 1]));
    const { report } = repair(crossing, { preserveTopology: true });
    report.verdict.level.should.equal('manifold');
    report.warnings.map(({ code }) => code).should.containEql('SHRINKWRAP_SUGGESTED');
    repair(crossing)
      .report.warnings.map(({ code }) => code)
      .should.not.containEql('SHRINKWRAP_SUGGESTED');
  });

  it('uses a precomputed analysis', () => {
    const open = without(makeCube(), 0);
    const analyzed = analyzeWithPlaces(open);
    const { report, analyzed: after, mesh } = repair(open, { precomputed: analyzed });
    report.before.should.equal(analyzed.analysis);
    after.should.deepEqual(analyzeWithPlaces(mesh));
  });

  it('warns if the volume changes by more than 5 %', () => {
    const { report } = repair(joined(makeCube(), placed(makeCube(), [0.5, 0.5, 0.5])));
    report.warnings.map(({ code }) => code).should.deepEqual(['VOLUME_CHANGED']);
    repair(without(makeTorus(), 3)).report.warnings.should.be.empty();
  });

  it('fails for a single triangle, a point and an empty mesh', () => {
    repair(
      meshOf(
        [
          [0, 0, 0],
          [1, 0, 0],
          [0, 1, 0],
        ],
        [[0, 1, 2]],
      ),
    ).isSuccessful.should.be.false();
    repair(meshOf([[0, 0, 0]], [[0, 0, 0]])).isSuccessful.should.be.false();
    repair(meshOf([], [])).isSuccessful.should.be.false();
  });

  it('reports increasing progress up to 1', () => {
    const reported: number[] = [];
    repair(without(makeCube(), 0), { onProgress: (progress) => reported.push(progress) });
    reported.should.deepEqual(reported.toSorted((a, b) => a - b));
    (reported.at(-1) ?? 0).should.equal(1);
  });
});
