import should from 'should';
import { analyze } from '../../../src/mesh/analysis/analyze.js';
import { verdictOf } from '../../../src/mesh/analysis/verdict.js';
import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import type { Point } from '../../../src/mesh/geometry/far-origin.js';
import { repair } from '../../../src/mesh/repair/repair.js';
import { roundToFloat32 } from '../../../src/mesh/rounding/round-to-float32.js';
import { makeCrowd } from '../models/crowd.js';
import { makeCube } from '../models/cube.js';
import { joined, meshOf, placed, without } from '../models/mesh-of.js';
import { TANGLES } from '../models/tangles.js';
import { makeTorus } from '../models/torus.js';
import { rotated } from '../models/transform.js';

/** The float32 ulp of coordinates from 512 to 1024. */
const ULP = 2 ** -14;
const FAR = [1000, 1000, 1000];

function levelOf(mesh: IndexedMesh): string {
  return verdictOf(analyze(mesh)).level;
}

function isFloat32({ positions }: IndexedMesh): boolean {
  return positions.every((value) => Math.fround(value) === value);
}

/** A tetrahedron whose fourth corner is truncated by a triangle smaller than an ulp. */
const TRUNCATED = meshOf(
  [
    [1000, 1000, 1000],
    [1002, 1000, 1000],
    [1000, 1002, 1000],
    [1000 + ULP / 5, 1000, 1002],
    [1000, 1000 + ULP / 5, 1002],
    [1000, 1000, 1002],
  ],
  [
    [0, 2, 1],
    [0, 1, 3],
    [0, 3, 5],
    [0, 5, 4],
    [0, 4, 2],
    [1, 2, 4],
    [1, 4, 3],
    [3, 4, 5],
  ],
);

/** Creates three flat rings at angles so small that most of their surfaces are within a few ulps of each other. */
function makeTiltedRings(): IndexedMesh {
  const ring = makeTorus(5, 5);
  const tilted = (perX: number, perY: number) => {
    const positions = ring.positions.slice();
    for (let i = 0; i < positions.length; i += 3) {
      const [x = 0, y = 0, z = 0] = positions.subarray(i, i + 3);
      positions[i + 2] = z * 0.1 + x * perX + y * perY;
    }
    return { ...ring, positions };
  };
  return joined(tilted(0, 0), tilted(1e-5, 1e-5 / 3), tilted(-5e-6, 1e-5));
}

/** Computes the largest distance of a vertex of one mesh from the nearest vertex of another. */
function maxDistanceBetween(from: IndexedMesh, to: IndexedMesh): number {
  let max = 0;
  for (let i = 0; i < from.positions.length; i += 3) {
    let min = Number.POSITIVE_INFINITY;
    for (let j = 0; j < to.positions.length; j += 3) {
      const offset = [0, 1, 2].map((k) => (from.positions[i + k] ?? 0) - (to.positions[j + k] ?? 0));
      min = Math.min(min, Math.hypot(...offset));
    }
    max = Math.max(max, min);
  }
  return max;
}

/** A tetrahedron so thin that rounding moves its fourth corner through the plane of the others. */
const THIN_CORNERS = [
  [100.07, 100.63, 100.88],
  [102.27, 100.44, 101.77],
  [100.48, 103.24, 100.97],
  [100.9400001, 101.4366667, 101.2066668],
];

describe('roundToFloat32', () => {
  it('returns a mesh of float32 coordinates itself, with and without intersections', () => {
    for (const mesh of [makeCube(), joined(makeCube(), placed(makeCube(), [1, 1, 1]))]) {
      should(roundToFloat32(mesh)).deepEqual({ mesh, brokenTriangles: 0, maxDisplacementMm: 0, isWorkExceeded: false });
      roundToFloat32(mesh).mesh.should.equal(mesh);
    }
  });

  it('only rounds if that breaks nothing, and returns the largest displacement', () => {
    const torus = placed(makeTorus(), [0.1, 0.2, 0.3]);
    const { mesh, maxDisplacementMm } = roundToFloat32(torus);
    mesh.triangles.should.equal(torus.triangles);
    mesh.positions.should.deepEqual(torus.positions.map(Math.fround));
    maxDisplacementMm.should.be.within(1e-9, 1e-5);
  });

  it('only rounds an open mesh', () => {
    const open = without(placed(TRUNCATED, [0.1, 0, 0]), 0);
    const { mesh, brokenTriangles } = roundToFloat32(open);
    mesh.triangles.should.equal(open.triangles);
    brokenTriangles.should.equal(0);
  });

  it('collapses edges shorter than an ulp', () => {
    levelOf(TRUNCATED).should.equal('solid');
    const { mesh, brokenTriangles } = roundToFloat32(TRUNCATED);
    brokenTriangles.should.equal(0);
    mesh.triangles.length.should.be.below(TRUNCATED.triangles.length);
    levelOf(mesh).should.equal('solid');
  });

  it('updates the ranges of objects if triangles of one are removed', () => {
    const objects = [
      { name: 'cut', firstTriangle: 0, triangleCount: 8 },
      { name: 'cube', firstTriangle: 8, triangleCount: 12 },
    ];
    const { mesh } = roundToFloat32({ ...joined(TRUNCATED, placed(makeCube(), [0.1, 0.1, 0.1])), objects });
    const count = (mesh.objects?.[0]?.triangleCount ?? 0) as number;
    count.should.be.within(4, 7);
    should(mesh.objects).deepEqual([
      { name: 'cut', firstTriangle: 0, triangleCount: count },
      { name: 'cube', firstTriangle: count, triangleCount: 12 },
    ]);
    mesh.triangles.length.should.equal((count + 12) * 3);
  });

  it('separates solids that rounding brings into contact, by a few ulps', () => {
    const near = joined(placed(makeCube(), FAR), placed(makeCube(), [1002 + ULP / 5, 1000.3, 1000.3]));
    levelOf(near).should.equal('solid');
    levelOf({ ...near, positions: near.positions.map(Math.fround) }).should.equal('manifold');
    const { mesh, brokenTriangles, maxDisplacementMm } = roundToFloat32(near);
    brokenTriangles.should.equal(0);
    levelOf(mesh).should.equal('solid');
    maxDisplacementMm.should.be.within(ULP / 5, ULP * 5);
  });

  it('keeps flat solids that intersect at tiny angles solid, far from the origin', () => {
    const { mesh } = repair(placed(rotated(makeTiltedRings()), FAR));
    levelOf(mesh).should.equal('solid');
    const rounded = roundToFloat32(mesh);
    rounded.brokenTriangles.should.equal(0);
    levelOf(rounded.mesh).should.equal('solid');
  });

  it('moves no vertex farther than the displacement that it returns, also if vertices were merged', () => {
    const { mesh } = repair(placed(rotated(makeTiltedRings()), FAR));
    const rounded = roundToFloat32(mesh);
    rounded.mesh.positions.length.should.be.below(mesh.positions.length);
    maxDistanceBetween(mesh, rounded.mesh).should.be.belowOrEqual(rounded.maxDisplacementMm);
  });

  it('keeps the orientation of a shell thinner than an ulp', () => {
    const thin = meshOf(THIN_CORNERS, [
      [0, 2, 1],
      [0, 1, 3],
      [1, 2, 3],
      [2, 0, 3],
    ]);
    levelOf(thin).should.equal('solid');
    levelOf({ ...thin, positions: thin.positions.map(Math.fround) }).should.equal('manifold');
    levelOf(roundToFloat32(thin).mesh).should.equal('solid');
  });

  it('keeps intersections that existed before', () => {
    const intersecting = placed(joined(makeCube(), placed(makeCube(), [1.1, 1.1, 1.1])), [0.1, 0.1, 0.1]);
    const { mesh, brokenTriangles } = roundToFloat32(intersecting);
    mesh.positions.should.deepEqual(intersecting.positions.map(Math.fround));
    brokenTriangles.should.equal(0);
  });

  it('keeps flat solids solid with coordinates relative to an origin a million times as far as they are large', () => {
    const origin: Point = [2 ** 25, -(2 ** 24), 0];
    const { mesh } = repair(placed(rotated(makeTiltedRings()), origin));
    levelOf(mesh).should.equal('solid');
    const rounded = roundToFloat32(mesh, origin);
    rounded.brokenTriangles.should.equal(0);
    rounded.maxDisplacementMm.should.be.within(1e-9, 1e-3);
    levelOf(rounded.mesh).should.equal('solid');
    isFloat32(placed(rounded.mesh, [-origin[0], -origin[1], 0])).should.be.true();
    should(roundToFloat32(rounded.mesh, origin).mesh).equal(rounded.mesh);
  });

  it('returns a mesh with a coordinate beyond float32 itself', () => {
    const huge = placed(makeCube(), [0, 0, 0], 1e39);
    roundToFloat32(huge).mesh.should.equal(huge);
  });

  it('counts the broken triangles of twenty cubes within an ulp', () => {
    roundToFloat32(makeCrowd()).brokenTriangles.should.be.above(0);
  });

  for (const [name, { mesh }] of Object.entries(TANGLES)) {
    it(`keeps ${name} solid after the repair, also rotated and far from the origin`, () => {
      for (const source of [mesh(), rotated(mesh()), placed(rotated(mesh()), FAR)]) {
        const repaired = repair(source).mesh;
        const rounded = roundToFloat32(repaired);
        isFloat32(rounded.mesh).should.be.true();
        rounded.brokenTriangles.should.equal(0);
        levelOf(rounded.mesh).should.equal('solid');
        should(roundToFloat32(repaired)).deepEqual(rounded);
      }
    });
  }
});
