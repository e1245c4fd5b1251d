import 'should';
import { cross, dot, subtract } from '../../../src/mesh/core/vec3.js';

describe('vec3', () => {
  it('multiplies and subtracts vectors', () => {
    dot([1, 2, 3], [4, 5, 6]).should.equal(32);
    subtract([1, 2, 3], [4, 6, 8]).should.deepEqual([-3, -4, -5]);
  });

  it('computes the cross product by the right-hand rule', () => {
    cross([2, 0, 0], [0, 3, 0]).should.deepEqual([0, 0, 6]);
    cross([0, 3, 0], [2, 0, 0]).should.deepEqual([0, 0, -6]);
  });
});
