import 'should';
import { splitDuplicateDiagonals } from '../../../src/mesh/repair/split-duplicate-diagonals.js';

describe('splitTaken', () => {
  const positions = Float64Array.from([0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 4, 9, 9, 9]);
  const cap = [0, 1, 2, 0, 2, 3];

  it('leaves a cap whose diagonals are free', () => {
    const places: number[] = [];
    splitDuplicateDiagonals(positions, places, cap, () => false).should.eql(cap);
    places.should.be.empty();
  });

  it('puts a vertex in the middle of the corners where a diagonal is taken, and keeps the sides of the cap', () => {
    const places: number[] = [];
    const triangles = splitDuplicateDiagonals(positions, places, cap, (a, b) => a + b === 2);
    places.should.eql([0.5, 0.5, 1]);
    const sides = triangles.map((from, h) => `${from} ${triangles[h % 3 === 2 ? h - 2 : h + 1]}`);
    sides.should.have.length(12);
    sides.should.containDeep(['0 1', '1 2', '2 3', '3 0', '0 5', '5 0', '1 5', '5 1', '2 5', '5 2', '3 5', '5 3']);
  });

  it('splits diagonals of one triangle in turn, each triangle beginning with a vertex that was there', () => {
    const places: number[] = [];
    const isInner = (a: number, b: number) => Math.min(a, b) === 0 && [2, 3].includes(Math.max(a, b));
    const triangles = splitDuplicateDiagonals(positions, places, [0, 1, 2, 0, 2, 3, 0, 3, 4], isInner);
    places.should.have.length(6);
    triangles.should.have.length(7 * 3);
    triangles
      .filter((_, h) => h % 3 === 0)
      .every((vertex) => vertex < 5)
      .should.be.true();
  });
});
