import should from 'should';
import { analyzeIndexed, analyzeWithPlaces } from '../../../src/mesh/analysis/analyze.js';
import { verdictOf } from '../../../src/mesh/analysis/verdict.js';
import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { measureDeviation } from '../../../src/mesh/reduce/measure-deviation.js';
import { type ReduceOptions, reduceTriangles } from '../../../src/mesh/reduce/reduce-triangles.js';
import { DistanceQuery } from '../../../src/mesh/spatial/distance-query.js';
import { createMeshIndex } from '../../../src/mesh/spatial/mesh-index.js';
import { makeSoundBracket } from '../models/bracket.js';
import { makeCube } from '../models/cube.js';
import { makeDiagonalRods } from '../models/diagonal-rods.js';
import { makeFineCube } from '../models/fine-cube.js';
import { joined, placed, turnedOver, without } from '../models/mesh-of.js';
import { createRandom } from '../models/random.js';
import { makeRod } from '../models/rod.js';
import { makeTorus } from '../models/torus.js';
import { rotated, shuffled } from '../models/transform.js';

function reduce(mesh: IndexedMesh, options: Partial<ReduceOptions> = {}) {
  return reduceTriangles(mesh, analyzeWithPlaces(mesh), {
    accuracyMm: 0.1,
    maxAngle: 30,
    numberOfIterations: 1,
    ...options,
  });
}

/** Returns the maximum distance from `a` to `b` at five random points per triangle of `a`. */
function measureMaxDistance(a: IndexedMesh, b: IndexedMesh): number {
  const distanceQuery = new DistanceQuery(b);
  const random = createRandom(11);
  let max = 0;
  for (let offset = 0; offset < a.triangles.length; offset += 3) {
    for (let i = 0; i < 5; i++) {
      const [s, t] = [random(), random()];
      const [u, v] = s + t > 1 ? [1 - s, 1 - t] : [s, t];
      const [x = 0, y = 0, z = 0] = [0, 1, 2].map((k) => {
        const [p = 0, q = 0, r = 0] = [0, 1, 2].map((c) => a.positions[(a.triangles[offset + c] ?? 0) * 3 + k]);
        return p * (1 - u - v) + q * u + r * v;
      });
      max = Math.max(max, distanceQuery.distanceAt(x, y, z));
    }
  }
  return max;
}

describe('reduceTriangles', () => {
  it('reduces a cube of 1728 triangles to at most 20, with the same volume and area', () => {
    const { mesh, analyzed } = reduce(makeFineCube(12), { accuracyMm: 0.01 });
    should(mesh.triangles.length / 3).be.within(12, 20);
    should(analyzed.analysis.volumeMm3).be.approximately(8, 1e-12);
    should(analyzed.analysis.surfaceAreaMm2).be.approximately(24, 1e-12);
  });

  it('reduces planar parts whatever the accuracy', () => {
    for (const accuracyMm of [1e-3, 1e-6])
      should(reduce(makeFineCube(12), { accuracyMm }).mesh.triangles.length / 3).be.within(12, 20);
  });

  const BODIES: [string, () => IndexedMesh | Promise<IndexedMesh>][] = [
    ['a torus', () => makeTorus(90, 45)],
    ['a rotated torus', () => rotated(makeTorus(90, 45))],
    ['a shuffled torus', () => shuffled(makeTorus(90, 45))],
    ['a bracket', makeSoundBracket],
  ];
  for (const [name, make] of BODIES) {
    it(`keeps ${name} solid, and the surface within the accuracy in both directions`, async () => {
      const mesh = await make();
      for (const accuracyMm of [0.1, 0.5]) {
        const { mesh: reduced, analyzed, maxDistanceMm } = reduce(mesh, { accuracyMm });
        verdictOf(analyzed.analysis).level.should.equal('solid');
        should(analyzed).deepEqual(analyzeWithPlaces(reduced));
        maxDistanceMm.should.be.belowOrEqual(accuracyMm);
        should(measureMaxDistance(mesh, reduced)).be.belowOrEqual(accuracyMm * 1.02);
        should(measureMaxDistance(reduced, mesh)).be.belowOrEqual(accuracyMm * 1.02);
        reduced.triangles.length.should.be.below(mesh.triangles.length * 0.9);
      }
    });
  }

  it('removes the rows of a rod, whose next vertices around it are nearer, but too far from the surface', () => {
    const { mesh } = reduce(makeRod(200, 10, 8), { accuracyMm: 4e-4 });
    should(mesh.triangles.length / 3).be.within(2 * 200 + 2 * 198, 800);
  });

  it('removes more triangles with a larger accuracy', () => {
    const counts = [0.005, 0.05, 0.2].map(
      (accuracyMm) => reduce(makeTorus(90, 45), { accuracyMm }).mesh.triangles.length,
    );
    counts.should.deepEqual([...counts].sort((a, b) => b - a));
    should(counts[2]).be.below(makeTorus(90, 45).triangles.length / 5);
  });

  it('returns the measured distance of the result, not that of a discarded attempt', () => {
    const torus = makeTorus(60, 30);
    const thinShell = joined(torus, turnedOver(placed(torus, [0, 0, 0], 0.99)));
    for (const [mesh, accuracyMm] of [
      [shuffled(makeTorus(90, 45)), 0.1],
      [rotated(torus), 0.2],
      [thinShell, 0.2],
      [thinShell, 0.3],
    ] as const) {
      const { mesh: reduced, maxDistanceMm } = reduce(mesh, { accuracyMm, maxAngle: 60 });
      should(maxDistanceMm).be.approximately(measureDeviation(mesh, reduced, accuracyMm).maxDistanceMm, 1e-12);
    }
  });

  it('ends at the target number of triangles, with the measured distance', () => {
    const torus = makeTorus(90, 45);
    for (const targetTriangles of [6000, 2000, 501]) {
      const { mesh, analyzed, maxDistanceMm } = reduce(torus, { accuracyMm: 2, maxAngle: 90, targetTriangles });
      should(mesh.triangles.length / 3).equal(targetTriangles - (targetTriangles % 2));
      verdictOf(analyzed.analysis).level.should.equal('solid');
      const measured = Math.max(measureMaxDistance(torus, mesh), measureMaxDistance(mesh, torus));
      maxDistanceMm.should.be.within(measured * 0.85, measured * 1.15); // sampled at other points;
    }
  });

  it('stops at the accuracy if that is reached before the target', () => {
    const torus = makeTorus(90, 45);
    const { mesh, maxDistanceMm } = reduce(torus, { accuracyMm: 0.1, targetTriangles: 100 });
    should(mesh.triangles.length / 3).be.above(100);
    maxDistanceMm.should.be.belowOrEqual(0.1);
  });

  it('does not move the remaining vertices', () => {
    const torus = makeTorus(40, 20);
    const listPositions = (mesh: IndexedMesh): string[] =>
      Array.from({ length: mesh.positions.length / 3 }, (_, v) => mesh.positions.subarray(v * 3, v * 3 + 3).join());
    const before = new Set(listPositions(torus));
    listPositions(reduce(torus).mesh)
      .every((position) => before.has(position))
      .should.be.true();
  });

  it('respects maxAngle: keeps a coarse torus unchanged and reduces planar parts at an angle of 0', () => {
    should(reduce(makeTorus(12, 8), { accuracyMm: 100, maxAngle: 5 }).mesh.triangles.length).equal(12 * 8 * 6);
    should(reduce(makeFineCube(6), { accuracyMm: 100, maxAngle: 0 }).mesh.triangles.length / 3).be.within(12, 20);
  });

  it('never lowers the level of a model with thin walls, with large limits', () => {
    const shell = joined(makeTorus(60, 30), turnedOver(placed(makeTorus(60, 30), [0, 0, 0], 0.999)));
    const ring = joined(makeTorus(40, 20), rotated(placed(makeTorus(40, 20), [20, 0, 0]), 0));
    for (const mesh of [makeTorus(60, 30), shell, ring]) {
      const before = verdictOf(analyzeWithPlaces(mesh).analysis).level;
      const after = verdictOf(
        reduce(mesh, { accuracyMm: 5, maxAngle: 90, numberOfIterations: 3 }).analyzed.analysis,
      ).level;
      const LEVELS = ['open', 'watertight', 'manifold', 'solid'];
      LEVELS.indexOf(after).should.be.aboveOrEqual(LEVELS.indexOf(before));
    }
  });

  it('removes as many triangles far from a part that intersects itself after the first attempt as without it', () => {
    const torus = makeTorus(60, 30);
    const shell = joined(torus, turnedOver(placed(torus, [0, 0, 0], 0.999)));
    const count = torus.triangles.length / 3;
    const objects = [
      { name: 'torus', firstTriangle: 0, triangleCount: count },
      { name: 'shell', firstTriangle: count, triangleCount: count * 2 },
    ];
    const both = { ...joined(torus, placed(shell, [100, 0, 0])), objects };
    const alone = reduce(torus, { accuracyMm: 0.3, maxAngle: 60 }).mesh;
    should(reduce(both, { accuracyMm: 0.3, maxAngle: 60 }).mesh.objects?.[0]?.triangleCount).equal(
      alone.triangles.length / 3,
    );
  });

  it('keeps only the vertices of a thin wall whose removal makes it intersect itself', () => {
    const thinShell = joined(makeTorus(60, 30), turnedOver(makeTorus(60, 30, 5.8)));
    const { mesh, analyzed } = reduce(thinShell, { accuracyMm: 0.4, maxAngle: 60 });
    verdictOf(analyzed.analysis).level.should.equal('solid');
    should(mesh.triangles.length).be.below(thinShell.triangles.length * 0.8);
  });

  it('keeps the boundary edges of an open mesh, and the objects', () => {
    const open = without(makeFineCube(8), 0, 1, 2, 3);
    const { analyzed } = reduce(open, { accuracyMm: 0.01 });
    analyzed.analysis.boundaryEdges.should.equal(analyzeWithPlaces(open).analysis.boundaryEdges);
    const [count, two] = [
      makeFineCube(6).triangles.length / 3,
      joined(makeFineCube(6), placed(makeFineCube(6), [5, 0, 0])),
    ];
    const objects = [
      { name: 'left', firstTriangle: 0, triangleCount: count },
      { name: 'right', firstTriangle: count, triangleCount: count },
    ];
    const { mesh } = reduce({ ...two, objects }, { accuracyMm: 0.01 });
    const [left, right] = mesh.objects ?? [];
    should([left?.name, right?.name]).deepEqual(['left', 'right']);
    should(left?.triangleCount).be.within(12, 20);
    should(right?.firstTriangle).equal(left?.triangleCount);
    should(mesh.triangles.length / 3).equal((left?.triangleCount ?? 0) + (right?.triangleCount ?? 0));
  });

  it('reduces a solid whose intersection search goes on with another tree beyond the limit', () => {
    const rods = makeDiagonalRods(24);
    const analyzed = analyzeIndexed(createMeshIndex(rods));
    verdictOf(analyzed.analysis).level.should.equal('solid');
    const result = reduceTriangles(rods, analyzed, { accuracyMm: 0.2, maxAngle: 30, numberOfIterations: 1 });
    should(result.mesh.triangles.length).be.below(rods.triangles.length * 0.7);
    verdictOf(result.analyzed.analysis).level.should.equal('solid');
    // A part of them is reduced: there the search is complete.
    const few = makeDiagonalRods(4);
    should(reduce(few, { accuracyMm: 0.2 }).mesh.triangles.length).be.below(few.triangles.length * 0.7);
  });

  it('leaves a cube of twelve triangles unchanged', () => {
    should(reduce(makeCube(), { accuracyMm: 0.01 }).mesh).deepEqual(makeCube());
  });

  it('is deterministic, and a further iteration never adds triangles', () => {
    const once = reduce(makeTorus(60, 30)).mesh;
    should(reduce(makeTorus(60, 30)).mesh).deepEqual(once);
    should(reduce(makeTorus(60, 30), { numberOfIterations: 4 }).mesh.triangles.length).be.belowOrEqual(
      once.triangles.length,
    );
  });
});
