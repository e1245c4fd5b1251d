import 'should';
import { createEdgePoints, splitTriangleAtPoints } from '../../../src/mesh/triangulation/split-at-points.js';

describe('splitTriangleAtPoints', () => {
  it('returns a triangle without points unchanged', () => {
    splitTriangleAtPoints([0, 1, 2], createEdgePoints(9)).should.eql([0, 1, 2]);
  });

  it('splits at the points of a side in the direction of the triangle and keeps its winding', () => {
    const edgePoints = createEdgePoints(9);
    edgePoints.set(1, 0, [5, 6]);
    const sidesOf = (triangles: readonly number[]) =>
      triangles.map((from, h) => `${from} ${triangles[h % 3 === 2 ? h - 2 : h + 1]}`);
    const split = sidesOf(splitTriangleAtPoints([0, 1, 2], edgePoints));
    split.should.have.length(9);
    split.should.containDeep(['0 6', '6 5', '5 1', '1 2', '2 0']);
    sidesOf(splitTriangleAtPoints([1, 0, 3], edgePoints)).should.containDeep(['1 5', '5 6', '6 0', '0 3', '3 1']);
  });

  it('splits at points on all three sides', () => {
    const edgePoints = createEdgePoints(9);
    edgePoints.set(0, 1, [3]);
    edgePoints.set(1, 2, [4]);
    edgePoints.set(2, 0, [5]);
    splitTriangleAtPoints([0, 1, 2], edgePoints).should.have.length(4 * 3);
  });

  it('drops a triangle with a corner on its own side', () => {
    const edgePoints = createEdgePoints(9);
    edgePoints.set(0, 1, [2]);
    splitTriangleAtPoints([0, 1, 2], edgePoints).should.be.empty();
  });

  it('terminates if all corners and points are collinear', () => {
    // Order on the line: 0, 3, 1, 2. Vertex 1 lies on the side from 3 to 2, which belongs to a neighbor.
    const edgePoints = createEdgePoints(9);
    edgePoints.set(0, 1, [3]);
    edgePoints.set(3, 2, [1]);
    splitTriangleAtPoints([0, 1, 2], edgePoints).length.should.be.below(10 * 3);
  });
});
