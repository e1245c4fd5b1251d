import should from 'should';
import {
  listPerturbations,
  RESOLUTION_BUDGET,
  resolveIntersections,
} from '../../../src/mesh/arrangement/resolve-intersections.js';
import { createWorkCounter } from '../../../src/mesh/core/work-counter.js';
import { computeBounds, diagonalOf } from '../../../src/mesh/geometry/bounds.js';
import { repair } from '../../../src/mesh/repair/repair.js';
import { createMeshState } from '../../../src/mesh/spatial/mesh-index.js';
import { toTaggedMesh } from '../../../src/mesh/topology/tagged-mesh.js';
import { makeCube } from '../models/cube.js';
import { DENSE_MODELS } from '../models/dense.js';
import { joined, placed } from '../models/mesh-of.js';

const LIMIT = 10_000_000;

function resolve(mesh: ReturnType<typeof makeCube>, limit: number) {
  const work = createWorkCounter(limit);
  const perturbations = listPerturbations(diagonalOf(computeBounds(mesh.positions)));
  const resolution = resolveIntersections(createMeshState(toTaggedMesh(mesh)), perturbations, RESOLUTION_BUDGET, work);
  return { ...resolution, work, count: limit - work.remaining() };
}

describe('the work of a self-union', () => {
  const cubes = joined(...Array.from({ length: 40 }, (_, i) => placed(makeCube(), [i * 1.1, i * 0.1, i * 0.2])));

  it('is less than 200 units per triangle for a row of cubes that overlap', () => {
    const { resolved, count } = resolve(cubes, LIMIT);
    resolved?.remainingCount.should.equal(0);
    count.should.be.within(1, (cubes.triangles.length / 3) * 200);
  });

  it('ends at its limit, without a result', () => {
    const { resolved, initialCount, work } = resolve(cubes, 1000);
    should(resolved).be.undefined();
    initialCount.should.be.above(0);
    work.isExceeded().should.be.true();
  });

  it('is reported if it reaches its limit, at a level that is not overstated', () => {
    const mesh = DENSE_MODELS['500 tetrahedra at random']?.() ?? makeCube();
    const { report } = repair(mesh);
    report.warnings.map(({ code }) => code).should.containDeep(['INTERSECTIONS_LEFT', 'WORK_LIMIT_REACHED']);
    report.verdict.level.should.equal('manifold');
    report.after.qualityParams.intersectingTriangles.should.be.above(1000);
  });
});
