import should from 'should';
import { analyze } from '../../../src/mesh/analysis/analyze.js';
import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { closeMesh } from '../../../src/mesh/repair/close-mesh.js';
import { shrinkwrap, type WrapAccuracy } from '../../../src/mesh/shrinkwrap/shrinkwrap.js';
import { DistanceQuery } from '../../../src/mesh/spatial/distance-query.js';
import { makeCube } from '../models/cube.js';
import { joined, meshOf, placed, turnedOver, without } from '../models/mesh-of.js';
import { TANGLES } from '../models/tangles.js';
import { makeTorus } from '../models/torus.js';
import { rotated, shuffled } from '../models/transform.js';

const CELLS_PER_DIAGONAL: Record<WrapAccuracy, number> = { Rough: 64, Smooth: 128, Detailed: 320 };

const sheet = meshOf(
  [
    [0, 0, 0],
    [10, 0, 0],
    [10, 10, 0],
    [0, 10, 0],
  ],
  [
    [0, 1, 2],
    [0, 2, 3],
  ],
);

function computeDiagonal(mesh: IndexedMesh): number {
  const { dimensionXMm, dimensionYMm, dimensionZMm } = analyze(mesh);
  return Math.hypot(dimensionXMm, dimensionYMm, dimensionZMm);
}

/** Wraps a mesh. Checks that the wrap is a solid, and that all vertices of both are within three cubes of the other. */
function wrap(mesh: IndexedMesh, accuracy: WrapAccuracy = 'Rough') {
  const result = wrapWithoutDistanceCheck(mesh, accuracy);
  const distanceQuery = new DistanceQuery(result.mesh);
  let farthestMm = 0;
  for (const vertex of mesh.triangles) {
    const [x = 0, y = 0, z = 0] = mesh.positions.subarray(vertex * 3, vertex * 3 + 3);
    farthestMm = Math.max(farthestMm, distanceQuery.distanceAt(x, y, z));
  }
  farthestMm.should.be.below(3 * result.cubeMm);
  return result;
}

/** The same for meshes with vertices deep inside the wrap, whose distances are not checked. */
function wrapWithoutDistanceCheck(mesh: IndexedMesh, accuracy: WrapAccuracy = 'Rough') {
  const result = shrinkwrap(mesh, { accuracy, close: closeMesh });
  result.isSuccessful.should.be.true();
  result.report.verdict.should.deepEqual({ level: 'solid', needsRepair: false, reasons: [] });
  const cubeMm = computeDiagonal(mesh) / CELLS_PER_DIAGONAL[accuracy];
  result.report.maxDisplacementMm.should.be.within(0, 3 * cubeMm);
  return { ...result, cubeMm, volumeMm3: result.analyzed.analysis.volumeMm3 };
}

describe('shrinkwrap', () => {
  const torusMm3 = analyze(makeTorus()).volumeMm3;

  for (const [suffix, change, factor] of [
    ['', (mesh) => mesh, 1],
    [', rotated and shuffled', (mesh) => shuffled(rotated(mesh)), 1],
    [', a thousand times as large, far from the origin', (mesh) => placed(mesh, [1e7, -2e7, 5e6], 1000), 1000],
  ] as [string, (mesh: IndexedMesh) => IndexedMesh, number][]) {
    it(`keeps the volume of a solid, and closes an open body${suffix}`, () => {
      const cubic = factor ** 3;
      wrap(change(makeTorus())).volumeMm3.should.be.approximately(torusMm3 * cubic, torusMm3 * cubic * 0.01);
      wrap(change(without(makeTorus(), 5, 6, 7, 100))).volumeMm3.should.be.approximately(
        torusMm3 * cubic,
        torusMm3 * cubic * 0.01,
      );
      wrap(change(without(makeCube(), 2, 3))).volumeMm3.should.be.approximately(8 * cubic, 8 * cubic * 0.02);
    });

    it(`thickens a sheet, a single triangle and a two-sided sheet${suffix}`, () => {
      const flat = wrap(change(sheet));
      flat.volumeMm3.should.be.within(100 * factor ** 2 * flat.cubeMm, 100 * factor ** 2 * 3 * flat.cubeMm);
      wrap(change(without(sheet, 1))).report.after.shells.should.equal(1);
      wrap(change(joined(sheet, turnedOver(sheet)))).report.after.shells.should.equal(1);
    });
  }

  it('makes solids of meshes that cross or touch themselves', () => {
    for (const { mesh, volumeMm3 } of Object.values(TANGLES).filter((_, i) => i % 3 === 0))
      wrapWithoutDistanceCheck(mesh()).volumeMm3.should.be.approximately(volumeMm3, volumeMm3 * 0.06);
  });

  it('keeps voids and captive parts', () => {
    const body = placed(makeCube(), [0, 0, 0], 10);
    const hollow = turnedOver(placed(makeCube(), [0, 0, 0], 6));
    const { report, volumeMm3 } = wrap(joined(body, hollow, placed(makeCube(), [0, 0, 0], 2)));
    report.after.shells.should.equal(3);
    volumeMm3.should.be.approximately(8000 - 1728 + 64, 60);
  });

  it('thickens a thin fin without leaving holes', () => {
    const block = placed(makeCube(), [0, 0, 0], 10);
    const fin: IndexedMesh = {
      ...makeCube(),
      positions: makeCube().positions.map((value, i) => value * ([20, 6, 0.05][i % 3] ?? 1)),
    };
    const { report } = wrapWithoutDistanceCheck(rotated(joined(block, fin)));
    report.after.shells.should.equal(1);
    // A body of genus 0: vertices - edges + triangles = 2, and edges = triangles * 3 / 2.
    (report.after.vertices - report.after.triangles / 2).should.equal(2);
  });

  it('deviates less with a finer grid', () => {
    const [rough, smooth] = (['Rough', 'Smooth'] as const).map((accuracy) => wrap(rotated(makeTorus(12, 6)), accuracy));
    (smooth?.report.maxDisplacementMm ?? 0).should.be.below(rough?.report.maxDisplacementMm ?? 0);
  });

  it('warns with the size of the cubes and the maximum displacement', () => {
    const [warning] = wrap(makeCube()).report.warnings;
    should(warning?.code).equal('SURFACE_REPLACED');
    (warning?.message ?? '').should.match(/cubes of 0\.0541 mm.*at most 0\.\d+ mm/);
  });

  it('returns the same bytes each time', () => {
    const damaged = without(makeTorus(), 3, 4);
    wrap(damaged).mesh.should.deepEqual(wrap(damaged).mesh);
  });

  it('fails for a point, a triangle that is not finite, and an empty mesh', () => {
    const point = meshOf([[1, 2, 3]], [[0, 0, 0]]);
    const notFinite = meshOf(
      [
        [Number.NaN, 0, 0],
        [1, 0, 0],
        [0, 1, 0],
      ],
      [[0, 1, 2]],
    );
    for (const invalid of [point, notFinite, meshOf([], [])]) {
      const { isSuccessful, reason, report } = shrinkwrap(invalid, { accuracy: 'Rough', close: closeMesh });
      isSuccessful.should.be.false();
      should(reason).match(/no triangle/);
      report.verdict.needsRepair.should.be.true();
    }
  });
});
