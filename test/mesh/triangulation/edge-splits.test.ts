import 'should';
import { findEdgeSplits } from '../../../src/mesh/triangulation/edge-splits.js';

describe('findEdgeSplits', () => {
  const positions = Float64Array.from([0, 0, 5, 4, 0, 5, 1, -1, 5, 1, 1, 5, 2, 0, 5, 3, 3, 5, 3, 0, 5]);
  const findSplits = (...edges: [number, number][]) => {
    const newPositions: number[] = [];
    const splits = findEdgeSplits(
      positions,
      edges.map(([from, to]) => ({ from, to })),
      2,
      newPositions,
    );
    return { splits, newPositions };
  };

  it('finds no splits if edges share only their ends or are disjoint', () => {
    findSplits([0, 2], [2, 1], [1, 3], [3, 5]).should.eql({ splits: [], newPositions: [] });
  });

  it('creates a vertex where edges cross', () => {
    findSplits([0, 1], [2, 3]).should.eql({
      splits: [
        { from: 0, to: 1, points: [7] },
        { from: 2, to: 3, points: [7] },
      ],
      newPositions: [1, 0, 5],
    });
  });

  it('finds vertices of other edges on an edge, in order along it', () => {
    findSplits([1, 0], [4, 2], [5, 6]).should.eql({ splits: [{ from: 1, to: 0, points: [6, 4] }], newPositions: [] });
    findSplits([0, 6], [4, 1]).splits.should.eql([
      { from: 0, to: 6, points: [4] },
      { from: 4, to: 1, points: [6] },
    ]);
  });
});
