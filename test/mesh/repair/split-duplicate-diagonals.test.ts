import 'should';
import { splitDuplicateDiagonals } from '../../../src/mesh/repair/split-duplicate-diagonals.js';

describe('splitDuplicateDiagonals', () => {
  const positions = Float64Array.from([0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 4, 9, 9, 9]);
  const cap = [0, 1, 2, 0, 2, 3];

  it('leaves a cap unchanged if its diagonals are not edges of the mesh', () => {
    const coordinates: number[] = [];
    splitDuplicateDiagonals(positions, coordinates, cap, () => false).should.eql(cap);
    coordinates.should.be.empty();
  });

  it('adds a vertex at the mean of the corners if the diagonal exists, and keeps the boundary of the cap', () => {
    const coordinates: number[] = [];
    const triangles = splitDuplicateDiagonals(positions, coordinates, cap, (a, b) => a + b === 2);
    coordinates.should.eql([0.5, 0.5, 1]);
    const sides = triangles.map((from, h) => `${from} ${triangles[h % 3 === 2 ? h - 2 : h + 1]}`);
    sides.should.have.length(12);
    sides.should.containDeep(['0 1', '1 2', '2 3', '3 0', '0 5', '5 0', '1 5', '5 1', '2 5', '5 2', '3 5', '5 3']);
  });

  it('splits both diagonals of one triangle, and starts each triangle with an existing vertex', () => {
    const coordinates: number[] = [];
    const isInner = (a: number, b: number) => Math.min(a, b) === 0 && [2, 3].includes(Math.max(a, b));
    const triangles = splitDuplicateDiagonals(positions, coordinates, [0, 1, 2, 0, 2, 3, 0, 3, 4], isInner);
    coordinates.should.have.length(6);
    triangles.should.have.length(7 * 3);
    triangles
      .filter((_, h) => h % 3 === 0)
      .every((vertex) => vertex < 5)
      .should.be.true();
  });
});
