import should from 'should';
import { computeBounds, diagonalOf } from '../../../src/mesh/geometry/bounds.js';
import { estimateVisits, limitSource } from '../../../src/mesh/shrinkwrap/limit-source.js';
import { findTwinsIfClosed } from '../../../src/mesh/topology/closed-twins.js';
import { makeCube } from '../models/cube.js';
import { EXTREME_MODELS } from '../models/extremes.js';
import { makeTorus } from '../models/torus.js';

const COUNT = 20_000;
const CELLS = 320;
const BAND_CELLS = 2;

describe('limitSource', () => {
  for (const [name, create] of Object.entries(EXTREME_MODELS)) {
    it(`leaves at most 300 million visits of corners, with cubes as small as possible: ${name}`, () => {
      const mesh = create(COUNT);
      const stepMm = diagonalOf(computeBounds(mesh.positions)) / CELLS;
      const source = limitSource(mesh, stepMm, BAND_CELLS);
      should(estimateVisits(source.distinct, source.stepMm, BAND_CELLS)).be.belowOrEqual(300_000_000);
      should(source.stepMm).be.within(stepMm, stepMm * 5);
    });
  }

  it('keeps the surface and the cubes of usual models', () => {
    for (const mesh of [makeCube(), makeTorus(100, 50)]) {
      const stepMm = diagonalOf(computeBounds(mesh.positions)) / CELLS;
      limitSource(mesh, stepMm, BAND_CELLS).should.deepEqual({ surface: mesh, distinct: mesh, stepMm });
    }
  });

  it('merges the vertices of a cone of 50,000 segments instead of enlarging cubes', () => {
    const cone = EXTREME_MODELS.cone?.(100_000) ?? makeCube();
    const source = limitSource(cone, 1, BAND_CELLS);
    source.stepMm.should.equal(1);
    should(source.distinct.triangles.length).be.below(cone.triangles.length / 4);
  });
});

describe('clusterVertices', () => {
  it('leaves each edge of a closed surface with as many triangles in one direction as in the other', () => {
    const cone = EXTREME_MODELS['jagged cone']?.(COUNT) ?? makeCube();
    should(findTwinsIfClosed(cone.triangles, cone.positions.length / 3)).not.be.undefined();
    const { surface } = limitSource(cone, 0.3, BAND_CELLS);
    const balance = new Map<string, number>();
    for (let corner = 0; corner < surface.triangles.length; corner++) {
      const [a = 0, b = 0] = [corner, corner % 3 === 2 ? corner - 2 : corner + 1].map((c) => surface.triangles[c]);
      const key = `${Math.min(a, b)},${Math.max(a, b)}`;
      balance.set(key, (balance.get(key) ?? 0) + (a < b ? 1 : -1));
    }
    should(surface.triangles.length).be.within(3, cone.triangles.length - 3);
    [...balance.values()].every((sum) => sum === 0).should.be.true();
  });
});
