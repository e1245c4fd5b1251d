import 'should';
import { triangulatePlanarRegion } from '../../../src/mesh/triangulation/triangulate-planar-region.js';

describe('triangulatePlanarRegion', () => {
  const toPositions = (points: readonly number[][]) => Float64Array.from(points.flatMap(([x = 0, y = 0]) => [x, y, 7]));
  /** Computes twice the signed area of each triangle, seen from above. */
  const areasOf = (positions: Float64Array, corners: readonly number[] = []) =>
    Array.from({ length: corners.length / 3 }, (_, t) => {
      const [ax = 0, ay = 0, bx = 0, by = 0, cx = 0, cy = 0] = [0, 1, 2].flatMap((k) => {
        const offset = (corners[t * 3 + k] ?? 0) * 3;
        return [positions[offset] ?? 0, positions[offset + 1] ?? 0];
      });
      return (bx - ax) * (cy - ay) - (cx - ax) * (by - ay);
    });
  const sum = (values: readonly number[]) => values.reduce((total, part) => total + part, 0);

  const square = [
    [0, 0],
    [4, 0],
    [4, 4],
    [0, 4],
  ];

  it('drops a vertex outside the region that triangles fold over', () => {
    // Four triangles around a vertex that lies outside the square.
    const folded = toPositions([...square, [6, 2]]);
    const triangles = triangulatePlanarRegion(folded, [0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4], 2);
    areasOf(folded, triangles).should.eql([16, 16]);
    triangles?.includes(4).should.be.false();
  });

  it('keeps holes and the parts inside them', () => {
    const rings = [1, 2, 3].flatMap((size) => square.map(([x = 0, y = 0]) => [(x - 2) * size, (y - 2) * size]));
    const frame = (inner: number, outer: number) =>
      [0, 1, 2, 3].flatMap((i) => {
        const j = (i + 1) % 4;
        return [outer + i, outer + j, inner + j, outer + i, inner + j, inner + i];
      });
    const triangles = triangulatePlanarRegion(toPositions(rings), [0, 1, 2, 0, 2, 3, ...frame(4, 8)], 2);
    const areas = areasOf(toPositions(rings), triangles);
    areas.should.have.length(10);
    sum(areas).should.equal(2 * (16 + 144 - 64));
  });

  it('keeps the orientation of triangles that face the other way', () => {
    // Two triangles that share a vertex and face in opposite directions.
    const bow = toPositions([
      [0, 0],
      [1, 1],
      [0, 1],
      [2, 1],
      [2, 2],
    ]);
    areasOf(bow, triangulatePlanarRegion(bow, [0, 1, 2, 1, 4, 3], 2)).should.eql([1, -1]);
  });

  it('returns no triangles for a region without a boundary', () => {
    triangulatePlanarRegion(toPositions(square), [0, 1, 2, 2, 1, 0], 2)?.should.be.empty();
  });

  it('rejects a boundary that crosses or touches itself in an edge, or winds around a part twice', () => {
    const points = toPositions([...square, [2, 1], [2, 0], [2, -3], [1, 1], [3, 1]]);
    (triangulatePlanarRegion(points, [0, 1, 2, 4, 6, 2], 2) === undefined).should.be.true();
    (triangulatePlanarRegion(points, [0, 1, 2, 5, 4, 8], 2) === undefined).should.be.true();
    (triangulatePlanarRegion(points, [0, 1, 3, 5, 4, 7], 2) === undefined).should.be.true();
    (triangulatePlanarRegion(points, [0, 1, 2, 0, 1, 2], 2) === undefined).should.be.true();
  });
});
