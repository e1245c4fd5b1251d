import 'should';
import { intersectEdgeTriangle } from '../../../src/mesh/arrangement/edge-triangle-intersection.js';

// A triangle in the plane z = 0, then the ends of an edge.
const TRIANGLE = [
  [0, 0, 0],
  [4, 0, 0],
  [0, 4, 0],
].flat();

const pierced = (...ends: number[]) => intersectEdgeTriangle(Float64Array.from([...TRIANGLE, ...ends]), 3, 4, 0, 1, 2);

describe('pierce', () => {
  it('tells where along the edge, and where in the triangle, one goes through the other', () => {
    pierced(1, 2, -1, 1, 2, 3).should.deepEqual({ share: 0.25, u: 0.25, v: 0.5 });
    pierced(1, 2, 3, 1, 2, -1).should.deepEqual({ share: 0.75, u: 0.25, v: 0.5 });
  });

  it('tells an edge that passes by, ends before, or lies above', () => {
    pierced(3, 3, -1, 3, 3, 1).should.equal('apart');
    pierced(1, 1, 1, 1, 1, 2).should.equal('apart');
    pierced(0, 0, 1, 4, 0, 1).should.equal('apart');
  });

  it('tells an edge that only just touches: with an end, along a side, at a corner', () => {
    pierced(1, 1, 0, 1, 1, 2).should.equal('touching');
    pierced(2, 2, -1, 2, 2, 1).should.equal('touching');
    pierced(4, 0, -1, 4, 0, 1).should.equal('touching');
  });

  it('leaves an edge in the plane of the triangle to the edges that end where it does', () => {
    pierced(-1, 1, 0, 5, 1, 0).should.equal('apart');
  });
});
