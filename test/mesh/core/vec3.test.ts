import 'should';
import { completeBasis, cross, dot, subtract } from '../../../src/mesh/core/vec3.js';

describe('vec3', () => {
  it('multiplies and subtracts vectors', () => {
    dot([1, 2, 3], [4, 5, 6]).should.equal(32);
    subtract([1, 2, 3], [4, 6, 8]).should.deepEqual([-3, -4, -5]);
  });

  it('computes the cross product by the right-hand rule', () => {
    cross([2, 0, 0], [0, 3, 0]).should.deepEqual([0, 0, 6]);
    cross([0, 3, 0], [2, 0, 0]).should.deepEqual([0, 0, -6]);
  });

  it('completes a unit vector to a right-handed orthonormal basis', () => {
    for (const unit of [
      [1, 0, 0],
      [0, 0, -1],
      [0.36, 0.48, -0.8],
    ]) {
      const [u, v] = completeBasis(unit);
      for (const [a, b] of [
        [unit, u],
        [u, v],
        [v, unit],
      ] as const)
        dot(a, b).should.be.approximately(0, 1e-15);
      subtract(cross(u, v), unit)
        .every((part) => Math.abs(part) < 1e-15)
        .should.be.true();
    }
  });
});
