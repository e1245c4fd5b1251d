import 'should';
import { intersectEdgeTriangle } from '../../../src/mesh/arrangement/edge-triangle-intersection.js';

// A triangle in the plane z = 0. The tests append the ends of an edge.
const TRIANGLE = [
  [0, 0, 0],
  [4, 0, 0],
  [0, 4, 0],
].flat();

function intersect(...ends: number[]) {
  return intersectEdgeTriangle(Float64Array.from([...TRIANGLE, ...ends]), 3, 4, 0, 1, 2);
}

describe('intersectEdgeTriangle', () => {
  it('returns the parameter along the edge and the barycentric weights in the triangle', () => {
    intersect(1, 2, -1, 1, 2, 3).should.deepEqual({ parameter: 0.25, u: 0.25, v: 0.5 });
    intersect(1, 2, 3, 1, 2, -1).should.deepEqual({ parameter: 0.75, u: 0.25, v: 0.5 });
  });

  it('returns apart for an edge that passes beside, ends before or lies above the triangle', () => {
    intersect(3, 3, -1, 3, 3, 1).should.equal('apart');
    intersect(1, 1, 1, 1, 1, 2).should.equal('apart');
    intersect(0, 0, 1, 4, 0, 1).should.equal('apart');
  });

  it('returns touching for an edge with an end in the triangle, or through a side or a corner', () => {
    intersect(1, 1, 0, 1, 1, 2).should.equal('touching');
    intersect(2, 2, -1, 2, 2, 1).should.equal('touching');
    intersect(4, 0, -1, 4, 0, 1).should.equal('touching');
  });

  it('returns apart for an edge in the plane of the triangle', () => {
    intersect(-1, 1, 0, 5, 1, 0).should.equal('apart');
  });
});
