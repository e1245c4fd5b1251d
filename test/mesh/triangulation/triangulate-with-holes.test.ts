import should from 'should';
import { triangulateWithHoles } from '../../../src/mesh/triangulation/triangulate-with-holes.js';

/** Two squares in the plane z = 1, of 9 x 9 and, in it, of 3 x 3, both counterclockwise. */
const POSITIONS = Float64Array.from(
  [
    [0, 0],
    [9, 0],
    [9, 9],
    [0, 9],
    [3, 3],
    [6, 3],
    [6, 6],
    [3, 6],
  ].flatMap(([x = 0, y = 0]) => [x, y, 1]),
);
const OUTER = [0, 1, 2, 3];
const HOLE = [4, 5, 6, 7];

/** Returns the area of triangles, positive if they are counterclockwise. */
function areaOf(triangles: readonly number[]): number {
  let area = 0;
  for (let i = 0; i < triangles.length; i += 3) {
    const [ax = 0, ay = 0, bx = 0, by = 0, cx = 0, cy = 0] = triangles
      .slice(i, i + 3)
      .flatMap((vertex) => [...POSITIONS.subarray(vertex * 3, vertex * 3 + 2)]);
    area += ((bx - ax) * (cy - ay) - (by - ay) * (cx - ax)) / 2;
  }
  return area;
}

describe('triangulateWithHoles', () => {
  it('leaves out a hole of any winding, in the winding of the outer ring', () => {
    for (const hole of [HOLE, HOLE.toReversed()]) {
      areaOf(triangulateWithHoles(POSITIONS, OUTER, [hole]) ?? []).should.be.approximately(72, 1e-9);
      areaOf(triangulateWithHoles(POSITIONS, OUTER.toReversed(), [hole]) ?? []).should.be.approximately(-72, 1e-9);
    }
  });

  it('returns undefined if a hole crosses the outer ring, or that has no area', () => {
    should(triangulateWithHoles(POSITIONS, [0, 5, 6, 3], [[4, 1, 2]])).be.undefined();
    should(triangulateWithHoles(POSITIONS, [0, 1, 0], [HOLE])).be.undefined();
  });
});
