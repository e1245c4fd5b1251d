import 'should';
import { mortonOrder } from '../../../src/mesh/spatial/morton-order.js';
import { createRandom } from '../models/random.js';

const CELLS = 1023;

/** Creates degenerate triangles whose centroid is the center of a cell of the curve, given as integers. */
function trianglesInCells(cells: readonly (readonly [number, number, number])[]) {
  const positions = Float64Array.from([0, 0, 0, 1, 1, 1, ...cells.flat().map((cell) => (cell + 0.5) / CELLS)]);
  const triangles = Uint32Array.from(cells.flatMap((_, i) => [i + 2, i + 2, i + 2]));
  return { positions, triangles, box: { min: [0, 0, 0] as const, max: [1, 1, 1] as const } };
}

function mortonCode(cell: readonly number[]): number {
  let code = 0;
  for (let bit = 9; bit >= 0; bit--) for (const part of cell.toReversed()) code = code * 2 + ((part >> bit) & 1);
  return code;
}

describe('mortonOrder', () => {
  it('sorts triangles by the Morton codes of their cells, those of a cell in ascending order', () => {
    const random = createRandom(3);
    const below = (count: number) => Math.floor(random() * count);
    // Sizes of regions that leave one, a few or thousands of triangles in a group of equal highest digits.
    for (const size of [4, 150, CELLS]) {
      const cells = Array.from({ length: 5000 }, () => [below(size), below(size), below(size)] as const);
      const codes = cells.map(mortonCode);
      const { positions, triangles, box } = trianglesInCells(cells);
      const expected = codes.map((_, i) => i).sort((a, b) => (codes[a] ?? 0) - (codes[b] ?? 0) || a - b);
      [...mortonOrder(positions, triangles, { min: [...box.min], max: [...box.max] })].should.deepEqual(expected);
    }
  });
});
