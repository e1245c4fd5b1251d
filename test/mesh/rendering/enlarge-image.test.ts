import 'should';
import { enlargeImage } from '../../../src/mesh/rendering/enlarge-image.js';

describe('enlargeImage', () => {
  it('turns each pixel into a square, and cuts off the last ones', () => {
    const pixels = Uint8Array.from([1, 2, 3, 4].flatMap((value) => [value, 0, 0, 255]));
    const image = enlargeImage({ width: 2, height: 2, pixels }, 3, 4, 2);
    image.should.containEql({ width: 3, height: 4 });
    const reds = [...image.pixels].filter((_, i) => i % 4 === 0);
    reds.should.deepEqual([1, 1, 2, 1, 1, 2, 3, 3, 4, 3, 3, 4]);
  });
});
