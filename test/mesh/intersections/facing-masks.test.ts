import 'should';
import { orient2dSignIn } from '../../../src/mesh/geometry/predicates.js';
import { computeFacingMasks } from '../../../src/mesh/intersections/facing-masks.js';
import { buildBvh } from '../../../src/mesh/spatial/bvh.js';
import { makeCube } from '../models/cube.js';
import { createRandom } from '../models/random.js';

function masksOf(positions: Float64Array, triangles: Uint32Array): Uint8Array {
  return computeFacingMasks({ positions, triangles }, buildBvh(positions, triangles));
}

describe('computeFacingMasks', () => {
  it('returns the directions that a triangle faces, and none for a whole cube', () => {
    const slanted = Float64Array.of(0, 0, 0, 2, 0, 1, 0, 2, 0); // its normal is -2, 0, 4
    masksOf(slanted, Uint32Array.of(0, 1, 2))[1]?.should.equal(0b010010);
    const { positions, triangles } = makeCube();
    masksOf(positions, triangles)[1]?.should.equal(0);
  });

  it('returns no wrong direction for a nearly degenerate triangle', () => {
    const random = createRandom(5);
    let decidedCount = 0;
    for (let round = 0; round < 3000; round++) {
      const [ax, ay, bx, by] = [random(), random(), random(), random()];
      const t = random() * 3;
      const noise = round % 3 === 0 ? 0 : (random() - 0.5) * 2 ** -(45 + (round % 10));
      const p = Float64Array.of(ax, ay, 0, bx, by, 0, ax + (bx - ax) * t, ay + (by - ay) * t + noise, 1);
      const mask = masksOf(p, Uint32Array.of(0, 1, 2))[1] ?? 0;
      const sign = (mask & 0b010000) !== 0 ? 1 : (mask & 0b100000) !== 0 ? -1 : 0;
      if (sign !== 0) sign.should.equal(orient2dSignIn(p, 0, 1, 0, 1, 2));
      decidedCount += Math.abs(sign);
    }
    decidedCount.should.be.within(300, 2000);
  });
});
