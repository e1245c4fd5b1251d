import should from 'should';
import { analyzeWithPlaces } from '../../../src/mesh/analysis/analyze.js';
import { createWorkCounter } from '../../../src/mesh/core/work-counter.js';
import { HalfEdgeCollapseMesh } from '../../../src/mesh/reduce/half-edge-collapse-mesh.js';
import { measureDeviation } from '../../../src/mesh/reduce/measure-deviation.js';
import { reduceTriangles } from '../../../src/mesh/reduce/reduce-triangles.js';
import { DistanceQuery } from '../../../src/mesh/spatial/distance-query.js';
import { meshOf } from '../models/mesh-of.js';
import { createRandom } from '../models/random.js';
import { makeTorus } from '../models/torus.js';

const ACCURACY_MM = 0.3;
const OPTIONS = { accuracyMm: ACCURACY_MM, maxAngle: 60, numberOfIterations: 1 };

describe('reduceTriangles at the limit of its work', () => {
  const torus = makeTorus(60, 30);
  const analyzed = analyzeWithPlaces(torus);
  const count = torus.triangles.length / 3;

  for (const maxVisits of [0, 1000, 10_000, 30_000, 100_000]) {
    it(`deviates no farther than it may after ${maxVisits} visits, and reports the limit`, () => {
      const { mesh, isLimited, maxDistanceMm } = reduceTriangles(torus, analyzed, { ...OPTIONS, maxVisits });
      const { maxDistanceMm: exactMm } = measureDeviation(torus, mesh, ACCURACY_MM, 0);
      should(exactMm).be.belowOrEqual(ACCURACY_MM);
      should(exactMm).be.belowOrEqual(Math.max(maxDistanceMm, ACCURACY_MM / 4) * (1 + 1e-9));
      if (mesh.triangles.length / 3 === count) isLimited.should.be.true();
    });
  }

  it('leaves a mesh unchanged that it could not measure', () => {
    const result = reduceTriangles(torus, analyzed, { ...OPTIONS, maxVisits: 1 });
    should(result.mesh).equal(torus);
    result.isLimited.should.be.true();
  });

  it('does not reach it for a usual model', () => {
    const { mesh, isLimited } = reduceTriangles(torus, analyzed, { ...OPTIONS, maxVisits: 300 * count });
    isLimited.should.be.false();
    should(mesh.triangles.length / 3).be.below(count / 4);
  });
});

describe('HalfEdgeCollapseMesh at the limit of its work', () => {
  const count = 60;
  const createRing = (radiusMm: number, phase: number) =>
    Array.from({ length: count }, (_, i) => {
      const angle = ((i + phase) / count) * 2 * Math.PI;
      return [radiusMm * Math.cos(angle), radiusMm * Math.sin(angle), 0];
    });
  /** A flat disk: vertex 0 in the middle, with two rings of vertices around it. */
  const disk = meshOf(
    [[0, 0, 0], ...createRing(1, 0), ...createRing(2, -0.5)],
    createRing(1, 0).flatMap((_, i) => {
      const [a, b] = [1 + i, 1 + ((i + 1) % count)];
      return [
        [0, a, b],
        [a, a + count, b + count],
        [a, b + count, b],
      ];
    }),
  );
  const create = (limit: number) =>
    new HalfEdgeCollapseMesh(disk, new DistanceQuery(disk), { accuracyMm: 1, maxAngle: 90 }, createWorkCounter(limit));

  it('collapses no vertex to one with more than 48 triangles', () => {
    const [limited, unlimited] = [create(0), create(10_000)];
    limited.canCollapse(1, 2); // exceeds the limit
    limited.canCollapse(1, 0).should.be.false();
    unlimited.canCollapse(1, 0).should.be.true();
    limited.canCollapse(1, 2).should.equal(unlimited.canCollapse(1, 2));
  });

  it('counts no more than 49 triangles around a vertex', () => {
    create(0).valenceOf(0).should.equal(49);
    create(0).valenceOf(1).should.equal(5);
  });
});

describe('DistanceQuery at the limit of its work', () => {
  it('returns no distance that is too small', () => {
    const torus = makeTorus(40, 20);
    const [exact, limited] = [
      new DistanceQuery(torus),
      new DistanceQuery(torus, undefined, undefined, createWorkCounter(2000)),
    ];
    const random = createRandom(5);
    let largerCount = 0;
    for (let i = 0; i < 300; i++) {
      const [x, y, z] = [0, 1, 2].map(() => 30 * (random() - 0.5)) as [number, number, number]; // of three numbers
      const [exactMm, limitedMm] = [exact.distanceAt(x, y, z), limited.distanceAt(x, y, z)];
      should(limitedMm).be.aboveOrEqual(exactMm);
      if (limited.isWithin(x, y, z, 1)) should(exactMm).be.belowOrEqual(1);
      if (limitedMm > exactMm) largerCount++;
    }
    should(largerCount).be.above(50);
  });
});
