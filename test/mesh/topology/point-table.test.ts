import should from 'should';
import { PointTable } from '../../../src/mesh/topology/point-table.js';
import { keptPositions, weldPoints } from '../../../src/mesh/topology/weld.js';
import { createRandom } from '../models/random.js';

describe('PointTable', () => {
  it('numbers places in the order of first appearance, and 0 and -0 as one', () => {
    const table = new PointTable(2);
    const numbers = [
      table.numberOf(1, 2, 3),
      table.numberOf(0, 0, 0),
      table.numberOf(1, 2, 3),
      table.numberOf(-0, 0, -0),
      table.numberOf(1, 2, 3 + 2 ** -50),
    ];
    should(numbers).deepEqual([0, 1, 0, 1, 2]);
    should([...table.positions()]).deepEqual([1, 2, 3, 0, 0, 0, 1, 2, 3 + 2 ** -50]);
  });

  it('grows from a guess that is no whole number', () => {
    const table = new PointTable(20.4);
    for (let i = 0; i < 100; i++) table.numberOf(i, 0, 0).should.equal(i);
    should(table.positions().length).equal(300);
  });

  it('grows, and finds what a weld of all points at once finds', () => {
    const random = createRandom(1);
    const points = Float64Array.from({ length: 30_000 }, () => Math.floor(random() * 12) - 5.5);
    const table = new PointTable(1);
    const numbers = Uint32Array.from({ length: 10_000 }, (_, i) => {
      return table.numberOf(points[i * 3] ?? 0, points[i * 3 + 1] ?? 0, points[i * 3 + 2] ?? 0);
    });
    const { vertexOf, firstPoint } = weldPoints(points);
    should(numbers).deepEqual(vertexOf);
    should(table.positions()).deepEqual(keptPositions(points, firstPoint));
  });
});
