import should from 'should';
import { analyze } from '../../../src/mesh/analysis/analyze.js';
import { verdictOf } from '../../../src/mesh/analysis/verdict.js';
import { UNITE_INTERSECTING } from '../../../src/mesh/repair/unite-intersecting.js';
import { makeCube } from '../models/cube.js';
import { joined, meshOf, placed, turnedOver, without } from '../models/mesh-of.js';
import { TANGLES } from '../models/tangles.js';
import { makeTorus } from '../models/torus.js';
import { rotated, shuffled } from '../models/transform.js';
import { applyStep, runStep } from './run-step.js';

describe('the step intersections', () => {
  for (const [name, { mesh, volumeMm3, shells }] of Object.entries(TANGLES)) {
    for (const [suffix, change, factor] of [
      ['', (input) => input, 1],
      [', rotated', rotated, 1],
      [', shuffled', shuffled, 1],
      [', a thousand times as large', (input) => placed(input, [0, 0, 0], 1000), 1000],
      [', far from the origin', (input) => placed(input, [1000, -2000, 500]), 1],
    ] as [string, (input: ReturnType<typeof mesh>) => ReturnType<typeof mesh>, number][]) {
      it(`makes one solid of ${name}${suffix}`, () => {
        const { analysis } = runStep(UNITE_INTERSECTING, change(mesh()));
        verdictOf(analysis).should.deepEqual({ level: 'solid', needsRepair: false, reasons: [] });
        const expectedMm3 = volumeMm3 * factor ** 3;
        analysis.volumeMm3.should.be.approximately(expectedMm3, expectedMm3 * 1e-4);
        if (shells !== undefined) analysis.shells.should.equal(shells);
      });
    }
  }

  it('counts the resolved triangles and reports the maximum displacement', () => {
    const { changed, maxDisplacementMm } = runStep(
      UNITE_INTERSECTING,
      joined(makeCube(), placed(makeCube(), [1, 1, 1])),
    );
    changed.should.be.within(6, 24);
    maxDisplacementMm.should.be.within(1e-7, 2e-5);
  });

  it('does not move vertices far from intersections', () => {
    const distant = placed(makeTorus(), [100, 0, 0]);
    const { mesh } = runStep(UNITE_INTERSECTING, joined(distant, makeCube(), placed(makeCube(), [1, 1, 1])));
    const places = new Set<string>();
    for (let i = 0; i < mesh.positions.length; i += 3) places.add(String(mesh.positions.subarray(i, i + 3)));
    for (let i = 0; i < distant.positions.length; i += 3)
      places.has(String(distant.positions.subarray(i, i + 3))).should.be.true();
  });

  it('leaves a solid with a cavity and a captive part unchanged', () => {
    const solid = joined(
      placed(makeCube(), [0, 0, 0], 3),
      turnedOver(placed(makeCube(), [0, 0, 0], 2)),
      placed(makeCube(), [0, 0, 0]),
    );
    const { analysis, changed } = runStep(UNITE_INTERSECTING, solid);
    changed.should.equal(0);
    analysis.should.deepEqual(analyze(solid));
  });

  it('leaves an open mesh unchanged', () => {
    const open = joined(without(makeCube(), 3), placed(makeCube(), [1, 1, 1]));
    const { mesh, changed } = runStep(UNITE_INTERSECTING, open);
    changed.should.equal(0);
    mesh.triangles.should.deepEqual(open.triangles);
  });

  it('leaves a mesh that encloses no volume unchanged and warns of remaining intersections', () => {
    // Two triangles back to back: closed and planar, without volume.
    const flat = meshOf(
      [
        [0, 0, 0],
        [1, 0, 0],
        [0, 1, 0],
      ],
      [
        [0, 1, 2],
        [0, 2, 1],
      ],
    );
    const { mesh, changed, notes } = applyStep(UNITE_INTERSECTING, flat);
    changed.should.be.false();
    notes.count.should.equal(0);
    mesh.triangles.should.deepEqual(flat.triangles);
    should(notes.warnings?.map(({ code }) => code)).deepEqual(['INTERSECTIONS_LEFT']);
  });

  it('keeps a wall without thickness if the bounds would shrink without it', () => {
    // A two-sided square, split along one diagonal in front and along the other behind.
    const wall = meshOf(
      [
        [0, 0, 0],
        [2, 0, 0],
        [2, 2, 0],
        [0, 2, 0],
      ],
      [
        [0, 1, 2],
        [0, 2, 3],
        [0, 3, 1],
        [1, 3, 2],
      ],
    );
    const { analysis } = runStep(UNITE_INTERSECTING, joined(makeCube(), placed(wall, [4, 0, 0.3])));
    verdictOf(analysis).level.should.equal('solid');
    analysis.dimensionXMm.should.be.approximately(7, 1e-4);
    analysis.volumeMm3.should.be.approximately(8, 1e-3);
    // It is dropped inside the bounds of another body.
    const inside = runStep(UNITE_INTERSECTING, joined(placed(makeCube(), [0, 0, 0], 4), placed(wall, [1, 1, 0.3])));
    inside.analysis.shells.should.equal(1);
  });

  it('keeps the object of each part of a triangle', () => {
    const { mesh } = runStep(UNITE_INTERSECTING, {
      ...joined(makeCube(), placed(makeCube(), [1, 1, 1])),
      objects: [
        { name: 'first', firstTriangle: 0, triangleCount: 12 },
        { name: 'second', firstTriangle: 12, triangleCount: 12 },
      ],
    });
    const [first, second] = mesh.objects ?? [];
    should(first?.name).equal('first');
    should(second?.name).equal('second');
    ((first?.triangleCount ?? 0) + (second?.triangleCount ?? 0)).should.equal(mesh.triangles.length / 3);
    const highest = (from = 0, count = 0) =>
      Math.max(...Array.from(mesh.triangles.subarray(from * 3, (from + count) * 3), (v) => mesh.positions[v * 3] ?? 0));
    highest(first?.firstTriangle, first?.triangleCount).should.be.approximately(1, 1e-4);
    highest(second?.firstTriangle, second?.triangleCount).should.be.approximately(2, 1e-4);
  });

  it('returns the same bytes each time', () => {
    const run = () => runStep(UNITE_INTERSECTING, joined(makeTorus(), placed(makeTorus(), [9, 0, 1]))).mesh;
    run().should.deepEqual(run());
  });
});
