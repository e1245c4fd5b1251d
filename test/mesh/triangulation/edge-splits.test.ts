import 'should';
import { findEdgeSplits } from '../../../src/mesh/triangulation/edge-splits.js';

describe('findBorderMeetings', () => {
  const positions = Float64Array.from([0, 0, 5, 4, 0, 5, 1, -1, 5, 1, 1, 5, 2, 0, 5, 3, 3, 5, 3, 0, 5]);
  const meetings = (...edges: [number, number][]) => {
    const places: number[] = [];
    const found = findEdgeSplits(
      positions,
      edges.map(([from, to]) => ({ from, to })),
      2,
      places,
    );
    return { found, places };
  };

  it('finds nothing where edges share their ends only, or are apart', () => {
    meetings([0, 2], [2, 1], [1, 3], [3, 5]).should.eql({ found: [], places: [] });
  });

  it('makes a vertex where edges cross', () => {
    meetings([0, 1], [2, 3]).should.eql({
      found: [
        { from: 0, to: 1, points: [7] },
        { from: 2, to: 3, points: [7] },
      ],
      places: [1, 0, 5],
    });
  });

  it('finds vertices of others on an edge, in order along it', () => {
    meetings([1, 0], [4, 2], [5, 6]).should.eql({ found: [{ from: 1, to: 0, points: [6, 4] }], places: [] });
    meetings([0, 6], [4, 1]).found.should.eql([
      { from: 0, to: 6, points: [4] },
      { from: 4, to: 1, points: [6] },
    ]);
  });
});
