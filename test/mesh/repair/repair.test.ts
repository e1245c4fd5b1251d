import { readFileSync } from 'node:fs';
import should from 'should';
import { analyze, analyzeWithPlaces } from '../../../src/mesh/analysis/analyze.js';
import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { repair } from '../../../src/mesh/repair/repair.js';
import { parseOwn } from '../formats/parse-own.js';
import { makeBracketFile, makeSoundBracket } from '../models/bracket.js';
import { makeCube } from '../models/cube.js';
import { DAMAGES } from '../models/damages.js';
import { joined, meshOf, placed, turnedOver, without } from '../models/mesh-of.js';
import { createRandom } from '../models/random.js';
import { makeTorus } from '../models/torus.js';
import { rotated, shuffled } from '../models/transform.js';

/** The cells of a cube of 2 mm, by their corner next to its own. */
const eight = [0, 1].flatMap((x) => [0, 1].flatMap((y) => [0, 1].map((z) => [x, y, z] as const)));

const changesOf = (mesh: IndexedMesh) =>
  Object.fromEntries(
    repair(mesh)
      .report.steps.filter(({ changed }) => changed > 0)
      .map(({ name, changed }) => [name, changed]),
  );

describe('repair', () => {
  describe('of the sample', () => {
    const bytes = readFileSync('examples/models/bracket.stl');
    const sample = () => parseOwn(bytes, { filename: 'bracket.stl' }).mesh;

    it('starts from what the script makes', () => {
      bytes.equals(makeBracketFile(false)).should.be.true();
    });

    it('makes it solid, with the volume that it had before it was damaged', () => {
      const { report, isSuccessful } = repair(sample());
      isSuccessful.should.be.true();
      report.verdict.level.should.equal('solid');
      const truth = analyze(makeSoundBracket()).volumeMm3;
      report.after.volumeMm3.should.be.approximately(truth, truth * 1e-3);
    });

    it('tells what was wrong and what was done', () => {
      const { report } = repair(sample());
      report.before.badEdges.should.be.above(100);
      report.after.badEdges.should.equal(0);
      const done = report.steps.filter(({ changed }) => changed > 0).map(({ name }) => name);
      done.should.deepEqual(['clean', 'stitch', 'orient', 'holes']);
      report.filledAreaMm2.should.be.above(0);
      report.places.filter(({ defect }) => defect === 'boundaryEdge').length.should.equal(100);
      report.maxDisplacementMm.should.be.within(1e-4, 0.01);
    });
  });

  for (const [name, make, tolerance] of [
    ['bracket', makeSoundBracket, 1e-3],
    ['torus', makeTorus, 1e-2],
  ] as const) {
    describe(`of a ${name}`, () => {
      const truth = analyze(make()).volumeMm3;
      for (const [damage, spoil] of Object.entries(DAMAGES)) {
        for (const [way, change] of [
          ['', (mesh: IndexedMesh) => mesh],
          [', rotated', rotated],
          [', shuffled', shuffled],
        ] as const) {
          it(`makes it solid again from ${damage}${way}`, () => {
            const { report, isSuccessful } = repair(change(spoil(make())));
            isSuccessful.should.be.true();
            report.verdict.should.deepEqual({ level: 'solid', needsRepair: false, reasons: [] });
            report.after.volumeMm3.should.be.approximately(truth, truth * tolerance);
          });
        }
      }

      it('does the same at a thousandth and at a thousand times the size', () => {
        const spoilt = DAMAGES['a hundredth of the triangles missing'](make());
        for (const factor of [1e-3, 1e3]) {
          const { report } = repair(placed(spoilt, [0, 0, 0], factor));
          report.verdict.level.should.equal('solid');
          report.after.volumeMm3.should.be.approximately(truth * factor ** 3, truth * factor ** 3 * tolerance);
        }
      });
    });
  }

  it('gives back a solid as it is, and says that nothing was done', () => {
    const cavity = joined(placed(makeCube(), [0, 0, 0], 3), turnedOver(makeCube()));
    for (const sound of [makeCube(), makeTorus(), cavity]) {
      const { mesh, report, isSuccessful } = repair(sound);
      mesh.should.equal(sound);
      isSuccessful.should.be.true();
      report.steps.should.be.empty();
      report.after.should.deepEqual(report.before);
    }
  });

  it('gives the same bytes each time', () => {
    const spoilt = () => DAMAGES['cracks along every fifth triangle'](makeTorus());
    repair(spoilt()).mesh.should.deepEqual(repair(spoilt()).mesh);
  });

  it('leaves the mesh that it is given as it is', () => {
    const opened = without(makeCube(), 2);
    repair(opened);
    opened.should.deepEqual(without(makeCube(), 2));
  });

  it('does nothing more to what it has repaired', () => {
    const { mesh } = repair(without(makeTorus(), 3, 4, 5, 60));
    changesOf(mesh).should.be.empty();
  });

  it('keeps objects by name, and gives what fills a hole to the object around it', () => {
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
    // Two cubes, corner to corner: four triangles meet at one edge.
    const touching = joined(makeCube(), placed(makeCube(), [2, 2, 0]));
    const { report, isSuccessful } = repair(touching);
    isSuccessful.should.be.true();
    report.after.nonManifoldEdges.should.equal(0);
    report.after.volumeMm3.should.be.approximately(16, 1e-3);
    report.verdict.level.should.equal('solid');
  });

  it('makes one body of two that overlap', () => {
    const { report, isSuccessful } = repair(joined(makeCube(), placed(makeCube(), [1, 1, 1])));
    isSuccessful.should.be.true();
    report.verdict.level.should.equal('solid');
    report.after.volumeMm3.should.be.approximately(15, 1e-3);
    report.after.shells.should.equal(1);
    should(report.steps.at(-1)?.name).equal('intersections');
    should(report.steps.at(-1)?.changed).be.above(0);
  });

  it('makes solids of heaps of cubes that overlap, touch and share triangles, with the volume of the heap', () => {
    for (const seed of [1, 2, 3]) {
      const random = createRandom(seed);
      const places = Array.from({ length: 15 }, () => [0, 1, 2].map(() => Math.floor(random() * 5)));
      const cells = new Set(
        places.flatMap(([x = 0, y = 0, z = 0]) => eight.map(([a, b, c]) => `${x + a} ${y + b} ${z + c}`)),
      );
      const { report } = repair(joined(...places.map((place) => placed(makeCube(), place))));
      report.verdict.level.should.equal('solid');
      report.after.volumeMm3.should.be.approximately(cells.size, cells.size * 1e-3);
    }
  });

  it('says of a flat sheet that it encloses nothing, and throws nothing', () => {
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

  it('says the same of a sheet that rounding alone gives a volume', () => {
    // Corners in a leaning plane, as near as six digits come to it; a square, and two of the triangles that its other diagonal gives.
    const onPlane = (x: number, y: number): [number, number, number] => [x, y, Number((x / 3 + y / 7).toFixed(6))];
    const sheet = meshOf(
      [onPlane(0, 0), onPlane(1, 0.1), onPlane(1.1, 1.2), onPlane(0.1, 0.9)],
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

  it('points to the shrinkwrap where it reaches no solid', () => {
    // Without uniting them two bodies that cross stay what they are.
    const crossing = joined(makeCube(), placed(makeCube(), [1, 1, 1]));
    const { report } = repair(crossing, { preserveTopology: true });
    report.verdict.level.should.equal('manifold');
    report.warnings.map(({ code }) => code).should.containEql('SHRINKWRAP_SUGGESTED');
    repair(crossing)
      .report.warnings.map(({ code }) => code)
      .should.not.containEql('SHRINKWRAP_SUGGESTED');
  });

  it('takes the word of an analysis that is known', () => {
    const open = without(makeCube(), 0);
    const analyzed = analyzeWithPlaces(open);
    const { report, analyzed: after, mesh } = repair(open, { precomputed: analyzed });
    report.before.should.equal(analyzed.analysis);
    after.should.deepEqual(analyzeWithPlaces(mesh));
  });

  it('warns where the volume moved by more than a twentieth', () => {
    const { report } = repair(joined(makeCube(), placed(makeCube(), [0.5, 0.5, 0.5])));
    report.warnings.map(({ code }) => code).should.deepEqual(['VOLUME_CHANGED']);
    repair(without(makeTorus(), 3)).report.warnings.should.be.empty();
  });

  it('says of a lone triangle, and of nothing, that it cannot be repaired', () => {
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

  it('tells how far it is, from 0 up to 1', () => {
    const told: number[] = [];
    repair(without(makeCube(), 0), { onProgress: (progress) => told.push(progress) });
    told.should.deepEqual(told.toSorted((a, b) => a - b));
    (told.at(-1) ?? 0).should.equal(1);
  });
});
