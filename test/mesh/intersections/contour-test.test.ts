import 'should';
import { hasInjectiveProjection } from '../../../src/mesh/intersections/contour-test.js';

type Point = readonly [x: number, y: number];

/**
 * Tests loops of points as a contour, in four rotations. Points that are the same array become one vertex; the others
 * are distinct vertices.
 */
function isInjective(...loops: Point[][]): boolean {
  const vertices = [...new Set(loops.flat())];
  const edges = loops.flatMap((loop) =>
    loop.map((point, i) => [point, loop[(i + 1) % loop.length] ?? point].map((end) => vertices.indexOf(end))),
  );
  const results = [0, 90, 180, 270].map((degrees) => {
    // Each edge is the first half-edge of a triangle of its own. The third coordinate is ignored.
    const triangles = Uint32Array.from(edges.flatMap(([from = 0, to = 0]) => [from, to, from]));
    const contour = Uint32Array.from(edges, (_, i) => i * 3);
    const positions = Float64Array.from(vertices.flatMap((point) => [...rotate(point, degrees), Math.sin(point[0])]));
    return hasInjectiveProjection(positions, triangles, contour, 0, 1);
  });
  new Set(results).size.should.equal(1, 'rotating the contour changes the result');
  return results.includes(true);
}

function rotate([x, y]: Point, degrees: number): Point {
  return degrees === 0 ? [x, y] : rotate([-y, x], degrees - 90);
}

/** Creates a counterclockwise square with its lower left corner at x, y. */
function square(x: number, y: number, size = 2): Point[] {
  return [
    [x, y],
    [x + size, y],
    [x + size, y + size],
    [x, y + size],
  ];
}

describe('hasInjectiveProjection', () => {
  it('accepts the contour of one patch and of several disjoint patches', () => {
    isInjective(square(0, 0)).should.be.true();
    isInjective(square(0, 0), square(3, 0.5), square(0.5, 5)).should.be.true();
  });

  it('accepts a patch with a hole and another patch in the hole', () => {
    const ring = [square(0, 0, 9), square(1, 1, 6).reverse()];
    isInjective(...ring).should.be.true();
    isInjective(...ring, square(2, 2)).should.be.true();
  });

  it('accepts patches that share a vertex', () => {
    const corner: Point = [2, 2];
    isInjective([[0, 0], [2, 0], corner, [0, 2]], [corner, [4, 2], [4, 4], [2, 4]]).should.be.true();
  });

  it('rejects a clockwise contour, outside of which the patch would lie', () => {
    isInjective(square(0, 0).reverse()).should.be.false();
  });

  it('rejects a patch above another', () => {
    isInjective(square(0, 0, 9), square(2, 2)).should.be.false();
    isInjective(square(0, 0, 9), square(1, 1, 6).reverse(), square(2, 2, 4), square(3, 3, 1)).should.be.false();
  });

  it('rejects a contour that crosses another or itself', () => {
    isInjective(square(0, 0), square(1, 1)).should.be.false();
    isInjective([
      [0, 0],
      [2, 2],
      [2, 0],
      [0, 2],
    ]).should.be.false();
  });

  it('rejects a contour with winding number 2 that intersects itself only at a shared vertex', () => {
    const [inner, outer]: [Point[], Point[]] = [square(1, 1, 1), square(0, 0, 4)];
    const shared = inner[0] ?? [0, 0];
    isInjective([...outer.slice(0, 1), ...outer.slice(1), shared, ...inner.slice(1), shared]).should.be.false();
  });

  it('rejects patches that touch at distinct vertices, at a vertex on an edge, or along an edge', () => {
    isInjective(square(0, 0), square(2, 2)).should.be.false();
    isInjective(square(0, 0), [
      [2, 1],
      [4, 0],
      [4, 2],
    ]).should.be.false();
    isInjective(square(0, 0), square(2, 0)).should.be.false();
    isInjective(square(0, 0), square(2, 0.5, 1)).should.be.false();
  });

  it('rejects collinear edges that leave the same vertex', () => {
    const corner: Point = [0, 0];
    isInjective([corner, [4, 0], [2, 2]], [corner, [-2, -2], [3, 0]]).should.be.false();
  });

  it('detects a gap of one ulp', () => {
    // The corner is exactly on the edge, then one ulp beside it.
    isInjective(
      [
        [0, 0],
        [3, 0],
        [3, 3],
      ],
      [
        [1, 1],
        [1, 5],
        [0, 5],
      ],
    ).should.be.false();
    isInjective(
      [
        [0, 0],
        [3, 0],
        [3, 3],
      ],
      [
        [1, 1 + 2 ** -52],
        [1, 5],
        [0, 5],
      ],
    ).should.be.true();
  });
});
