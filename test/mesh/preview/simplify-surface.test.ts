import { MeshoptSimplifier } from 'meshoptimizer/simplifier';
import 'should';
import { countVisits, MAX_VISITS_PER_TRIANGLE, simplifySurface } from '../../../src/mesh/preview/simplify-surface.js';
import { EXTREME_MODELS } from '../models/extremes.js';
import { makeTorus } from '../models/torus.js';

const COUNT = 4000;

describe('simplifySurface', () => {
  let visits: number;
  const { simplify } = MeshoptSimplifier;

  beforeEach(() => {
    visits = 0;
    MeshoptSimplifier.simplify = (triangles, ...rest) => {
      visits += countVisits(Uint32Array.from(triangles));
      return simplify.call(MeshoptSimplifier, triangles, ...rest);
    };
  });
  afterEach(() => {
    MeshoptSimplifier.simplify = simplify;
  });

  for (const [name, create] of Object.entries(EXTREME_MODELS)) {
    it(`reduces to the limit with at most ${MAX_VISITS_PER_TRIANGLE} visits per triangle: ${name}`, async () => {
      const { surface } = await simplifySurface(create(COUNT), 500);
      (surface.triangles.length / 3).should.be.within(250, 500);
      visits.should.be.belowOrEqual(MAX_VISITS_PER_TRIANGLE * COUNT);
    });
  }

  it('collapses the edges of a model with a few vertices of many triangles', async () => {
    const [torus, cone] = [makeTorus(200, 100), EXTREME_MODELS.cone?.(1000)];
    if (!cone) throw new Error('There is no cone.');
    const positions = Float64Array.from([...torus.positions, ...cone.positions]);
    const shifted = cone.triangles.map((vertex) => vertex + torus.positions.length / 3);
    await simplifySurface({ positions, triangles: Uint32Array.from([...torus.triangles, ...shifted]) }, 5000);
    visits.should.be.above(0);
  });
});
