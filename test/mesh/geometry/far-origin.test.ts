import should from 'should';
import type { Box3 } from '../../../src/mesh/core/mesh.js';
import { findFarOrigin } from '../../../src/mesh/geometry/far-origin.js';
import { roundToFloat32From } from '../../../src/mesh/geometry/float32-ulp.js';
import { createRandom } from '../models/random.js';

const RUNS = 2000;

function boxAt(center: readonly number[], extent: number): Box3 {
  const [x = 0, y = 0, z = 0] = center;
  return { min: [x - extent / 2, y, z], max: [x + extent / 2, y + extent / 3, z] };
}

describe('findFarOrigin', () => {
  it('returns nothing for a box within sixteen extents of zero, and for a point', () => {
    should(findFarOrigin(boxAt([0, 0, 0], 10))).be.undefined();
    should(findFarOrigin(boxAt([150, -150, 9], 10))).be.undefined();
    should(findFarOrigin(boxAt([150, 0, 0], 0))).be.undefined();
  });

  it('returns zero along each axis along which the box is not far away', () => {
    should(findFarOrigin(boxAt([1e6, 100, -1e6], 10))).deepEqual([1e6, 0, -1e6]);
  });

  it('returns an origin from which all coordinates have exact differences, which float32 rounding keeps exact', () => {
    const random = createRandom(5);
    for (let run = 0; run < RUNS; run++) {
      const extent = 10 ** (random() * 8 - 4);
      const center = (17 + 10 ** (random() * 13)) * extent * (random() < 0.5 ? -1 : 1);
      const box = boxAt([center, 0, 0], extent);
      const [origin = 0] = findFarOrigin(box) ?? [];
      origin.should.not.equal(0);
      Math.abs(origin - center).should.be.belowOrEqual(extent);
      for (const value of [box.min[0], box.max[0], box.min[0] + random() * extent]) {
        (value - origin + origin).should.equal(value);
        const rounded = roundToFloat32From(value, origin);
        Math.fround(rounded - origin).should.equal(rounded - origin);
        roundToFloat32From(rounded, origin).should.equal(rounded);
        Math.abs(rounded - value).should.be.belowOrEqual(extent * 2 ** -23);
      }
    }
  });

  it('returns an origin that is a float32 up to a distance of 2^23 extents', () => {
    const random = createRandom(6);
    for (let run = 0; run < RUNS; run++) {
      const [origin = 0] = findFarOrigin(boxAt([(20 + random() * 2 ** 23) * 0.7, 0, 0], 0.7)) ?? [];
      Math.fround(origin).should.equal(origin);
    }
  });
});
