import 'should';
import { scale, translation } from '../../../../src/mesh/formats/reading/affine-transform.js';
import { DeformationLimit, skinPoints } from '../../../../src/mesh/formats/reading/deform-points.js';
import { meshErrorOf } from '../mesh-error-of.js';

const POINTS = Float64Array.of(1, 2, 3, 4, 5, 6);
/** One influence per point. */
const STARTS = [0, 1, 2];

function skin(joints: readonly number[], weights: readonly number[], starts: readonly number[] = STARTS) {
  const transforms = [translation([10, 0, 0]), scale([-1, 1, 1])];
  const { points, isMirrored } = skinPoints(POINTS, { starts, joints, weights }, transforms, translation([0, 0, 9]));
  return { points: [...points], isMirrored };
}

describe('skinPoints', () => {
  it('moves each point by its joints, to the mean by their weights', () => {
    skin([0, 1], [1, 0.5]).points.should.deepEqual([11, 2, 3, -4, 5, 6]);
    skin([0, 1, 0], [1, 3, 1], [0, 2, 3]).points.should.deepEqual([2, 2, 3, 14, 5, 6]);
  });

  it('moves points without weights by another transform', () => {
    skin([0, 7], [1, 0]).points.should.deepEqual([11, 2, 3, 4, 5, 15]);
    skin([0], [1], [0, 1]).points.should.deepEqual([11, 2, 3, 4, 5, 15]);
  });

  it('gives points of joints that do not exist invalid coordinates', () => {
    skin([0, 7], [1, 1]).points.slice(3).should.deepEqual([Number.NaN, Number.NaN, Number.NaN]);
  });

  it('tells whether joints mirror most of the points, by weight', () => {
    skin([1, 1], [1, 1]).isMirrored.should.be.true();
    skin([0, 1], [1, 2]).isMirrored.should.be.true();
    skin([0, 1], [2, 1]).isMirrored.should.be.false();
  });
});

describe('DeformationLimit', () => {
  it('throws TOO_LARGE above 134 million movements in total', () => {
    const limit = new DeformationLimit();
    limit.add(2 ** 26);
    limit.add(2 ** 26);
    meshErrorOf(() => limit.add(1)).code.should.equal('TOO_LARGE');
  });
});
