import 'should';
import { hasInjectiveProjection } from '../../../src/mesh/intersections/contour-test.js';

type Place = readonly [x: number, y: number];

/** Loops of places as borders, walked as given. Places that are the same array become one vertex. */
const isPlain = (...loops: Place[][]): boolean => {
  const vertices = [...new Set(loops.flat())];
  const edges = loops.flatMap((loop) =>
    loop.map((place, i) => [place, loop[(i + 1) % loop.length] ?? place].map((end) => vertices.indexOf(end))),
  );
  const answers = [0, 90, 180, 270].map((degrees) => {
    // Each edge is the first half-edge of a triangle of its own. The third part of a position is not looked at.
    const triangles = Uint32Array.from(edges.flatMap(([from = 0, to = 0]) => [from, to, from]));
    const border = Uint32Array.from(edges, (_, i) => i * 3);
    const positions = Float64Array.from(vertices.flatMap((place) => [...turned(place, degrees), Math.sin(place[0])]));
    return hasInjectiveProjection(positions, triangles, border, 0, 1);
  });
  new Set(answers).size.should.equal(1, 'turning the border changes the answer');
  return answers.includes(true);
};

const turned = ([x, y]: Place, degrees: number): Place => (degrees === 0 ? [x, y] : turned([-y, x], degrees - 90));

/** A square walked counter-clockwise, its lower left corner at x, y. */
const square = (x: number, y: number, size = 2): Place[] => [
  [x, y],
  [x + size, y],
  [x + size, y + size],
  [x, y + size],
];

describe('isPlainBorder', () => {
  it('takes the border of a patch, and of several side by side', () => {
    isPlain(square(0, 0)).should.be.true();
    isPlain(square(0, 0), square(3, 0.5), square(0.5, 5)).should.be.true();
  });

  it('takes a patch with a hole, and another patch in the hole', () => {
    const ring = [square(0, 0, 9), square(1, 1, 6).reverse()];
    isPlain(...ring).should.be.true();
    isPlain(...ring, square(2, 2)).should.be.true();
  });

  it('takes patches that have a corner in common', () => {
    const corner: Place = [2, 2];
    isPlain([[0, 0], [2, 0], corner, [0, 2]], [corner, [4, 2], [4, 4], [2, 4]]).should.be.true();
  });

  it('does not take a border walked the wrong way round: what is outside would lie in the patch', () => {
    isPlain(square(0, 0).reverse()).should.be.false();
  });

  it('does not take a patch above another', () => {
    isPlain(square(0, 0, 9), square(2, 2)).should.be.false();
    isPlain(square(0, 0, 9), square(1, 1, 6).reverse(), square(2, 2, 4), square(3, 3, 1)).should.be.false();
  });

  it('does not take one that reaches over another, nor one that crosses itself', () => {
    isPlain(square(0, 0), square(1, 1)).should.be.false();
    isPlain([
      [0, 0],
      [2, 2],
      [2, 0],
      [0, 2],
    ]).should.be.false();
  });

  it('does not take a border that goes round twice and crosses itself in its own vertices only', () => {
    const [inner, outer]: [Place[], Place[]] = [square(1, 1, 1), square(0, 0, 4)];
    const shared = inner[0] ?? [0, 0];
    isPlain([...outer.slice(0, 1), ...outer.slice(1), shared, ...inner.slice(1), shared]).should.be.false();
  });

  it('does not take patches that touch: at a vertex of another number, a corner on an edge, or edge on edge', () => {
    isPlain(square(0, 0), square(2, 2)).should.be.false();
    isPlain(square(0, 0), [
      [2, 1],
      [4, 0],
      [4, 2],
    ]).should.be.false();
    isPlain(square(0, 0), square(2, 0)).should.be.false();
    isPlain(square(0, 0), square(2, 0.5, 1)).should.be.false();
  });

  it('does not take edges of one vertex that lie on each other', () => {
    const corner: Place = [0, 0];
    isPlain([corner, [4, 0], [2, 2]], [corner, [-2, -2], [3, 0]]).should.be.false();
  });

  it('tells a gap that floating point cannot see', () => {
    // 0.1 + 0.2 is a little above 0.3: the corner lies on the edge, or just beside it.
    isPlain(
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
    isPlain(
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
