import 'should';
import { buildOneRings, groupCornersByVertex } from '../../../src/mesh/topology/one-rings.js';

describe('groupCornersByVertex', () => {
  it('lists the corners of each vertex in ascending order, none for an unused vertex', () => {
    const { starts, corners } = groupCornersByVertex(Uint32Array.of(0, 1, 3, 3, 1, 4), 5);
    [...starts].should.deepEqual([0, 1, 3, 3, 5, 6]);
    [...corners].should.deepEqual([0, 1, 4, 2, 3, 5]);
  });
});

describe('buildOneRings', () => {
  it('returns the triangles of each vertex in ascending order', () => {
    const oneRingOf = buildOneRings(Uint32Array.of(0, 1, 3, 3, 1, 4), 5);
    [0, 1, 2, 3, 4].map(oneRingOf).should.deepEqual([[0], [0, 1], [], [0, 1], [1]]);
  });
});
