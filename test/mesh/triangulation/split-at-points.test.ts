import 'should';
import { createEdgePoints, splitTriangleAtPoints } from '../../../src/mesh/triangulation/split-at-points.js';

describe('splitAtPoints', () => {
  it('leaves a triangle without points', () => {
    splitTriangleAtPoints([0, 1, 2], createEdgePoints(9)).should.eql([0, 1, 2]);
  });

  it('walks the points of a side in the direction of the triangle, and keeps its winding', () => {
    const onEdges = createEdgePoints(9);
    onEdges.set(1, 0, [5, 6]);
    const sidesOf = (triangles: readonly number[]) =>
      triangles.map((from, h) => `${from} ${triangles[h % 3 === 2 ? h - 2 : h + 1]}`);
    const split = sidesOf(splitTriangleAtPoints([0, 1, 2], onEdges));
    split.should.have.length(9);
    split.should.containDeep(['0 6', '6 5', '5 1', '1 2', '2 0']);
    sidesOf(splitTriangleAtPoints([1, 0, 3], onEdges)).should.containDeep(['1 5', '5 6', '6 0', '0 3', '3 1']);
  });

  it('splits at points of all sides', () => {
    const onEdges = createEdgePoints(9);
    onEdges.set(0, 1, [3]);
    onEdges.set(1, 2, [4]);
    onEdges.set(2, 0, [5]);
    splitTriangleAtPoints([0, 1, 2], onEdges).should.have.length(4 * 3);
  });

  it('leaves out a triangle with a corner on its own side', () => {
    const onEdges = createEdgePoints(9);
    onEdges.set(0, 1, [2]);
    splitTriangleAtPoints([0, 1, 2], onEdges).should.be.empty();
  });

  it('ends where the corners and the points lie on one line', () => {
    // Along the line: 0, 3, 1, 2. The side from 3 to 2 has 1 on it, as that of a neighbour.
    const onEdges = createEdgePoints(9);
    onEdges.set(0, 1, [3]);
    onEdges.set(3, 2, [1]);
    splitTriangleAtPoints([0, 1, 2], onEdges).length.should.be.below(10 * 3);
  });
});
