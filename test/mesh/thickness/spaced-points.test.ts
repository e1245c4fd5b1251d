import should from 'should';
import { someSpacedPoint } from '../../../src/mesh/thickness/spaced-points.js';
import { meshOf } from '../models/mesh-of.js';

/** Returns the points of a triangle with a side of `length` and a height of `height` mm, 1 mm apart. */
function pointsOf(length: number, height: number): number[][] {
  const mesh = meshOf(
    [
      [0, 0, 0],
      [length / 2, height, 0],
      [length, 0, 0],
    ],
    [[0, 1, 2]],
  );
  const points: number[][] = [];
  should(
    someSpacedPoint(mesh, 0, 1, (point) => {
      points.push([...point]);
      return false;
    }),
  ).be.false();
  return points;
}

describe('someSpacedPoint', () => {
  it('tests the centroid of a small triangle', () => {
    const [point, ...others] = pointsOf(0.9, 0.6);
    others.length.should.equal(0);
    for (const [k, value] of [0.45, 0.2, 0].entries()) should(point?.[k]).be.approximately(value, 1e-12);
  });

  it('tests points in proportion to the area of a large triangle, and to the length of a narrow one', () => {
    pointsOf(40, 30).length.should.be.within(600, 800);
    pointsOf(40, 0.01).length.should.be.within(20, 40);
    pointsOf(40, 0).length.should.be.within(20, 40);
  });

  it('stops at the first point for which the test returns true', () => {
    let count = 0;
    const mesh = meshOf(
      [
        [0, 0, 0],
        [20, 0, 0],
        [0, 20, 0],
      ],
      [[0, 1, 2]],
    );
    should(someSpacedPoint(mesh, 0, 1, () => ++count === 3)).be.true();
    count.should.equal(3);
  });
});
