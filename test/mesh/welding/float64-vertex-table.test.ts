import should from 'should';
import { Float64VertexTable } from '../../../src/mesh/welding/float64-vertex-table.js';
import { gatherPositions, weldPoints } from '../../../src/mesh/welding/weld.js';
import { createRandom } from '../models/random.js';

describe('PointTable', () => {
  it('numbers places in the order of first appearance, and 0 and -0 as one', () => {
    const table = new Float64VertexTable(2);
    const numbers = [
      table.indexOf(1, 2, 3),
      table.indexOf(0, 0, 0),
      table.indexOf(1, 2, 3),
      table.indexOf(-0, 0, -0),
      table.indexOf(1, 2, 3 + 2 ** -50),
    ];
    should(numbers).deepEqual([0, 1, 0, 1, 2]);
    should([...table.positions()]).deepEqual([1, 2, 3, 0, 0, 0, 1, 2, 3 + 2 ** -50]);
  });

  it('grows from a guess that is no whole number', () => {
    const table = new Float64VertexTable(20.4);
    for (let i = 0; i < 100; i++) table.indexOf(i, 0, 0).should.equal(i);
    should(table.positions().length).equal(300);
  });

  it('grows, and finds what a weld of all points at once finds', () => {
    const random = createRandom(1);
    const points = Float64Array.from({ length: 30_000 }, () => Math.floor(random() * 12) - 5.5);
    const table = new Float64VertexTable(1);
    const numbers = Uint32Array.from({ length: 10_000 }, (_, i) => {
      return table.indexOf(points[i * 3] ?? 0, points[i * 3 + 1] ?? 0, points[i * 3 + 2] ?? 0);
    });
    const { vertexOf, firstPoint } = weldPoints(points);
    should(numbers).deepEqual(vertexOf);
    should(table.positions()).deepEqual(gatherPositions(points, firstPoint));
  });
});
