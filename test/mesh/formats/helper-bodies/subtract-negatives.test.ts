import should from 'should';
import { analyze } from '../../../../src/mesh/analysis/analyze.js';
import { verdictOf } from '../../../../src/mesh/analysis/verdict.js';
import type { MeshGeometry } from '../../../../src/mesh/core/mesh.js';
import { createWorkCounter } from '../../../../src/mesh/core/work-counter.js';
import { subtractNegatives, toSolid } from '../../../../src/mesh/formats/helper-bodies/subtract-negatives.js';
import { createCylinder } from '../../../../src/mesh/hollow/cylinder.js';
import { makeCube } from '../../models/cube.js';
import { joined, placed, without } from '../../models/mesh-of.js';
import { makeTorus } from '../../models/torus.js';

/** A cube of 20 mm around the origin. */
const PART = placed(makeCube(), [0, 0, 0], 10);

function cube(center: [number, number, number], halfMm: number): MeshGeometry {
  return placed(makeCube(), center, halfMm);
}

/** A box around the z axis. */
function box(halfX: number, halfY: number, halfZ: number): MeshGeometry {
  const { positions, triangles } = makeCube();
  return { positions: positions.map((value, i) => value * ([halfX, halfY, halfZ][i % 3] ?? 0)), triangles };
}

function subtractFrom(part: MeshGeometry, tools: readonly MeshGeometry[], work = createWorkCounter()) {
  const [solid, ...negatives] = [part, ...tools].map((mesh) => toSolid(mesh, createWorkCounter()));
  if (!solid) throw new Error('The part is not solid.');
  return subtractNegatives(solid, negatives as NonNullable<(typeof negatives)[number]>[], work);
}

describe('subtractNegatives', () => {
  const CASES: [string, MeshGeometry[], number, number][] = [
    ['a body that reaches out of a face', [cube([0, 0, 20], 20)], 4000, 1],
    ['a body that ends at a face', [cube([0, 0, 5], 5)], 7000, 1],
    ['a body that ends at two faces', [box(5, 5, 10)], 6000, 1],
    ['half of the part, flush with its sides', [cube([10, 0, 0], 10)], 4000, 1],
    ['a corner', [cube([10, 10, 10], 10)], 7000, 1],
    ['a body inside, which becomes a void', [cube([0, 0, 0], 3)], 7784, 2],
    ['a layer, which divides the part', [box(10, 10, 2)], 6400, 2],
    ['bodies that overlap', [cube([0, 0, 10], 4), cube([2, 0, 10], 4)], 7680, 1],
    ['nothing of a body that touches a face from outside', [cube([20, 0, 0], 10)], 8000, 1],
    ['nothing of a body that touches an edge from outside', [cube([20, 20, 0], 10)], 8000, 1],
  ];
  for (const [name, tools, volumeMm3, shells] of CASES)
    it(`subtracts ${name}, exactly`, () => {
      const result = subtractFrom(PART, tools);
      if (!result) throw new Error('no difference');
      const analysis = analyze(result);
      should(verdictOf(analysis).level).equal('solid');
      should(analysis.volumeMm3).be.approximately(volumeMm3, 1e-6);
      should(analysis.shells).equal(shells);
    });

  it('drills round holes that end at the faces of the part', () => {
    const tools = [-5, 0, 5].map((x) => createCylinder([x, x, -10], [x, x, 10], 2));
    const result = subtractFrom(PART, tools);
    if (!result) throw new Error('no difference');
    const analysis = analyze(result);
    should(verdictOf(analysis).level).equal('solid');
    const drilledMm3 = tools.reduce((sum, tool) => sum + analyze(tool).volumeMm3, 0);
    should(analysis.volumeMm3).be.approximately(8000 - drilledMm3, 0.01);
  });

  it('cuts a torus', () => {
    const torus = makeTorus();
    const result = subtractFrom(torus, [box(100, 100, 1)]);
    if (!result) throw new Error('no difference');
    should(verdictOf(analyze(result)).level).equal('solid');
    should(analyze(result).shells).equal(2);
  });

  it('leaves no triangles of a part inside of a body, also of the same size', () => {
    should(subtractFrom(PART, [cube([0, 0, 0], 20)])?.triangles.length).equal(0);
    should(subtractFrom(PART, [cube([0, 0, 0], 10)])?.triangles.length).equal(0);
  });

  it('returns nothing if the work exceeds its limit', () => {
    should(subtractFrom(PART, [cube([0, 0, 20], 20)], createWorkCounter(1))).be.undefined();
  });
});

describe('toSolid', () => {
  it('returns a solid as it is', () => {
    should(toSolid(PART, createWorkCounter())).match({ mesh: PART, isRepaired: false });
  });

  it('repairs a body with a hole, and bodies that overlap', () => {
    const closed = toSolid(without(PART, 3), createWorkCounter());
    should(closed?.isRepaired).be.true();
    should(closed?.analysis.volumeMm3).be.approximately(8000, 1e-6);
    const overlapping = joined(cube([0, 0, 0], 10), cube([5, 0, 0], 10));
    const solid = toSolid(overlapping, createWorkCounter());
    should(solid?.isRepaired).be.true();
    should(solid?.analysis.volumeMm3).be.approximately(10_000, 0.1);
  });

  it('returns nothing for a sheet, for a body without triangles, and beyond the limit of the work', () => {
    const sheet = { positions: PART.positions, triangles: PART.triangles.slice(0, 6) };
    should(toSolid(sheet, createWorkCounter())).be.undefined();
    should(toSolid({ ...PART, triangles: new Uint32Array() }, createWorkCounter())).be.undefined();
    should(toSolid(PART, createWorkCounter(1))).be.undefined();
  });
});
