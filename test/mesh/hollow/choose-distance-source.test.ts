import should from 'should';
import { chooseDistanceSource } from '../../../src/mesh/hollow/choose-distance-source.js';
import { BODIES, makeBall } from '../models/bodies.js';
import { makeCube } from '../models/cube.js';
import { createExtreme } from '../models/extremes.js';

const SIMPLIFIED = makeCube();

describe('chooseDistanceSource', () => {
  it('simplifies a cone of very many segments', () => {
    const cone = createExtreme('cone', 40_000);
    chooseDistanceSource(cone, () => SIMPLIFIED).should.equal(SIMPLIFIED);
  });

  it('keeps the surface of other bodies', () => {
    const bodies = Object.values(BODIES).map((create) => create());
    for (const mesh of [...bodies, makeBall(300, 10)])
      should(chooseDistanceSource(mesh, () => SIMPLIFIED) === mesh).be.true();
  });
});
