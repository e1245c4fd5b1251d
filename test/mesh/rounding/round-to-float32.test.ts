import should from 'should';
import { analyze } from '../../../src/mesh/analysis/analyze.js';
import { verdictOf } from '../../../src/mesh/analysis/verdict.js';
import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { repair } from '../../../src/mesh/repair/repair.js';
import { roundToFloat32 } from '../../../src/mesh/rounding/round-to-float32.js';
import { makeCrowd } from '../models/crowd.js';
import { makeCube } from '../models/cube.js';
import { joined, meshOf, placed, without } from '../models/mesh-of.js';
import { TANGLES } from '../models/tangles.js';
import { makeTorus } from '../models/torus.js';
import { rotated } from '../models/transform.js';

/** float32 tells coordinates from 512 to 1024 apart by this. */
const STEP = 2 ** -14;
const FAR = [1000, 1000, 1000];

const levelOf = (mesh: IndexedMesh) => verdictOf(analyze(mesh)).level;
const isFloat32 = ({ positions }: IndexedMesh) => positions.every((value) => Math.fround(value) === value);

/** A tetrahedron whose fourth corner is cut off so close that the cut is smaller than a step. */
const CUT = meshOf(
  [
    [1000, 1000, 1000],
    [1002, 1000, 1000],
    [1000, 1002, 1000],
    [1000 + STEP / 5, 1000, 1002],
    [1000, 1000 + STEP / 5, 1002],
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

/** Three rings as flat as a coin, tilted against each other so little that they lie within a few steps over most of their faces. */
function makeThinCrossing(): IndexedMesh {
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

/** The farthest that a vertex of one mesh is from the nearest of another. */
function farthestFrom(from: IndexedMesh, to: IndexedMesh): number {
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

/** A tetrahedron so thin that its fourth corner goes through the plane of the others when all are rounded. */
const THIN_CORNERS = [
  [100.07, 100.63, 100.88],
  [102.27, 100.44, 101.77],
  [100.48, 103.24, 100.97],
  [100.9400001, 101.4366667, 101.2066668],
];

describe('roundMesh', () => {
  it('gives back a mesh of float32 coordinates itself, crossing or not', () => {
    for (const mesh of [makeCube(), joined(makeCube(), placed(makeCube(), [1, 1, 1]))]) {
      should(roundToFloat32(mesh)).deepEqual({ mesh, brokenTriangles: 0, maxDisplacementMm: 0 });
      roundToFloat32(mesh).mesh.should.equal(mesh);
    }
  });

  it('only rounds where that breaks nothing, and says how far a vertex moved', () => {
    const torus = placed(makeTorus(), [0.1, 0.2, 0.3]);
    const { mesh, maxDisplacementMm } = roundToFloat32(torus);
    mesh.triangles.should.equal(torus.triangles);
    mesh.positions.should.deepEqual(torus.positions.map(Math.fround));
    maxDisplacementMm.should.be.within(1e-9, 1e-5);
  });

  it('only rounds what is open', () => {
    const open = without(placed(CUT, [0.1, 0, 0]), 0);
    const { mesh, brokenTriangles } = roundToFloat32(open);
    mesh.triangles.should.equal(open.triangles);
    brokenTriangles.should.equal(0);
  });

  it('lets edges vanish that are shorter than float32 can tell', () => {
    levelOf(CUT).should.equal('solid');
    const { mesh, brokenTriangles } = roundToFloat32(CUT);
    brokenTriangles.should.equal(0);
    mesh.triangles.length.should.be.below(CUT.triangles.length);
    levelOf(mesh).should.equal('solid');
  });

  it('keeps objects apart by name when triangles of one vanish', () => {
    const objects = [
      { name: 'cut', firstTriangle: 0, triangleCount: 8 },
      { name: 'cube', firstTriangle: 8, triangleCount: 12 },
    ];
    const { mesh } = roundToFloat32({ ...joined(CUT, placed(makeCube(), [0.1, 0.1, 0.1])), objects });
    const count = (mesh.objects?.[0]?.triangleCount ?? 0) as number;
    count.should.be.within(4, 7);
    should(mesh.objects).deepEqual([
      { name: 'cut', firstTriangle: 0, triangleCount: count },
      { name: 'cube', firstTriangle: count, triangleCount: 12 },
    ]);
    mesh.triangles.length.should.equal((count + 12) * 3);
  });

  it('keeps bodies apart that come to touch, by the least that does', () => {
    const near = joined(placed(makeCube(), FAR), placed(makeCube(), [1002 + STEP / 5, 1000.3, 1000.3]));
    levelOf(near).should.equal('solid');
    levelOf({ ...near, positions: near.positions.map(Math.fround) }).should.equal('manifold');
    const { mesh, brokenTriangles, maxDisplacementMm } = roundToFloat32(near);
    brokenTriangles.should.equal(0);
    levelOf(mesh).should.equal('solid');
    maxDisplacementMm.should.be.within(STEP / 5, STEP * 5);
  });

  it('keeps flat bodies that cross at an angle near nothing a solid, far from the origin', () => {
    const { mesh } = repair(placed(rotated(makeThinCrossing()), FAR));
    levelOf(mesh).should.equal('solid');
    const rounded = roundToFloat32(mesh);
    rounded.brokenTriangles.should.equal(0);
    levelOf(rounded.mesh).should.equal('solid');
  });

  it('leaves no vertex without one of the result as near as it says, also where vertices vanished', () => {
    const { mesh } = repair(placed(rotated(makeThinCrossing()), FAR));
    const rounded = roundToFloat32(mesh);
    rounded.mesh.positions.length.should.be.below(mesh.positions.length);
    farthestFrom(mesh, rounded.mesh).should.be.belowOrEqual(rounded.maxDisplacementMm);
  });

  it('keeps a body outside out that is thinner than a step', () => {
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

  it('leaves what crossed before as it was', () => {
    const crossing = placed(joined(makeCube(), placed(makeCube(), [1.1, 1.1, 1.1])), [0.1, 0.1, 0.1]);
    const { mesh, brokenTriangles } = roundToFloat32(crossing);
    mesh.positions.should.deepEqual(crossing.positions.map(Math.fround));
    brokenTriangles.should.equal(0);
  });

  it('gives back a mesh with a coordinate beyond float32 as it is', () => {
    const huge = placed(makeCube(), [0, 0, 0], 1e39);
    roundToFloat32(huge).mesh.should.equal(huge);
  });

  it('counts what it cannot mend: many bodies within a single step', () => {
    roundToFloat32(makeCrowd()).brokenTriangles.should.be.above(0);
  });

  for (const [name, { mesh }] of Object.entries(TANGLES)) {
    it(`keeps ${name} a solid after the repair, also turned and far from the origin`, () => {
      for (const given of [mesh(), rotated(mesh()), placed(rotated(mesh()), FAR)]) {
        const repaired = repair(given).mesh;
        const rounded = roundToFloat32(repaired);
        isFloat32(rounded.mesh).should.be.true();
        rounded.brokenTriangles.should.equal(0);
        levelOf(rounded.mesh).should.equal('solid');
        should(roundToFloat32(repaired)).deepEqual(rounded);
      }
    });
  }
});
