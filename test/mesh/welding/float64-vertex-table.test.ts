import should from 'should';
import { Float64VertexTable } from '../../../src/mesh/welding/float64-vertex-table.js';
import { gatherPositions, weldPoints } from '../../../src/mesh/welding/weld.js';
import { createRandom } from '../models/random.js';

describe('Float64VertexTable', () => {
  it('numbers vertices in the order of first appearance, with -0 equal to 0', () => {
    const table = new Float64VertexTable(2);
    const indices = [
      table.add(1, 2, 3),
      table.add(0, 0, 0),
      table.add(1, 2, 3),
      table.add(-0, 0, -0),
      table.add(1, 2, 3 + 2 ** -50),
    ];
    should(indices).deepEqual([0, 1, 0, 1, 2]);
    should([...table.toPositions()]).deepEqual([1, 2, 3, 0, 0, 0, 1, 2, 3 + 2 ** -50]);
  });

  it('accepts a fractional expected count and grows beyond it', () => {
    const table = new Float64VertexTable(20.4);
    for (let i = 0; i < 100; i++) table.add(i, 0, 0).should.equal(i);
    should(table.toPositions().length).equal(300);
  });

  it('returns the same vertices as `weldPoints` while growing from one vertex', () => {
    const random = createRandom(1);
    const points = Float64Array.from({ length: 30_000 }, () => Math.floor(random() * 12) - 5.5);
    const table = new Float64VertexTable(1);
    const indices = Uint32Array.from({ length: 10_000 }, (_, i) => {
      return table.add(points[i * 3] ?? 0, points[i * 3 + 1] ?? 0, points[i * 3 + 2] ?? 0);
    });
    const { vertexOf, firstPoint } = weldPoints(points);
    should(indices).deepEqual(vertexOf);
    should(table.toPositions()).deepEqual(gatherPositions(points, firstPoint));
  });
});
