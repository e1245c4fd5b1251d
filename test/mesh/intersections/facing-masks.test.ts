import 'should';
import { orient2dSignIn } from '../../../src/mesh/geometry/predicates.js';
import { computeFacingMasks } from '../../../src/mesh/intersections/facing-masks.js';
import { buildBvh } from '../../../src/mesh/spatial/bvh.js';
import { makeCube } from '../models/cube.js';
import { createRandom } from '../models/random.js';

const facingsOf = (positions: Float64Array, triangles: Uint32Array): Uint8Array =>
  computeFacingMasks({ positions, triangles }, buildBvh(positions, triangles));

describe('findFacings', () => {
  it('finds the directions that a triangle faces, and none for all sides of a cube', () => {
    const slanted = Float64Array.of(0, 0, 0, 2, 0, 1, 0, 2, 0); // its normal is -2, 0, 4
    facingsOf(slanted, Uint32Array.of(0, 1, 2))[1]?.should.equal(0b010010);
    const { positions, triangles } = makeCube();
    facingsOf(positions, triangles)[1]?.should.equal(0);
  });

  it('says nothing of a triangle that floating point cannot tell from a straight line', () => {
    const random = createRandom(5);
    let sureCount = 0;
    for (let round = 0; round < 3000; round++) {
      const [ax, ay, bx, by] = [random(), random(), random(), random()];
      const t = random() * 3;
      const noise = round % 3 === 0 ? 0 : (random() - 0.5) * 2 ** -(45 + (round % 10));
      const p = Float64Array.of(ax, ay, 0, bx, by, 0, ax + (bx - ax) * t, ay + (by - ay) * t + noise, 1);
      const along = facingsOf(p, Uint32Array.of(0, 1, 2))[1] ?? 0;
      const sign = (along & 0b010000) !== 0 ? 1 : (along & 0b100000) !== 0 ? -1 : 0;
      if (sign !== 0) sign.should.equal(orient2dSignIn(p, 0, 1, 0, 1, 2));
      sureCount += Math.abs(sign);
    }
    sureCount.should.be.within(300, 2000);
  });
});
