import { createWorkCounter } from '../../../src/mesh/core/work-counter.js';
import { areSeparable } from '../../../src/mesh/intersections/separating-plane.js';
import { createRandom } from '../models/random.js';

function areApart(a: readonly number[], b: readonly number[]): boolean {
  const toSet = (points: readonly number[]) => ({ coordinates: Float64Array.from(points), count: points.length / 3 });
  return areSeparable(toSet(a), toSet(b), Math.max(...[...a, ...b].map(Math.abs)), createWorkCounter());
}

const SQUARE = [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0];

describe('areSeparable', () => {
  it('finds a plane between points that are barely apart', () => {
    const raised = SQUARE.map((value, i) => (i % 3 === 2 ? 1e-9 : value));
    areApart(SQUARE, raised).should.be.true();
  });

  it('finds a plane in a narrow oblique gap between long tetrahedra', () => {
    const [a, b] = [
      [0, 0, 0, 100, 100, 0, 100, 100.1, 0, 50, 50.02, 30],
      [0, -0.001, 0, 100, 99.999, 1, 100, 99, 0, 50, 49.9, -30],
    ];
    areApart(a, b).should.be.true();
  });

  it('finds none if a vertex touches', () => {
    areApart(SQUARE, [0.5, 0.5, 0, 0.5, 0.5, 1, 0.6, 0.5, 1]).should.be.false();
  });

  it('finds none between points of one plane that surround each other', () => {
    areApart(SQUARE, [0.4, 0.4, 0, 0.6, 0.4, 0, 0.5, 0.6, 0]).should.be.false();
  });

  it('finds none where hulls have a point in common', () => {
    const random = createRandom(5);
    for (let round = 0; round < 2000; round++) {
      const flatness = 10 ** -Math.floor(8 * random());
      const createPoints = (count: number) =>
        Array.from({ length: count * 3 }, (_, i) => (random() - 0.5) * (i % 3 === 2 ? flatness : 1));
      const a = createPoints(2 + (round % 5));
      // The common point is the mean of two corners of one set, and a corner of the other.
      const middle = [0, 1, 2].map((k) => ((a[k] ?? 0) + (a[3 + k] ?? 0)) / 2);
      areApart(a, [...createPoints(4), ...middle]).should.be.false();
    }
  });

  it('finds a plane between most random sets of points on both sides of one', () => {
    const random = createRandom(6);
    let count = 0;
    for (let round = 0; round < 500; round++) {
      const createPoints = (side: number) =>
        Array.from({ length: 20 * 3 }, (_, i) => (i % 3 === 0 ? side * (random() + 0.001) : 100 * random()));
      if (areApart(createPoints(1), createPoints(-1))) count++;
    }
    count.should.equal(500);
  });
});
