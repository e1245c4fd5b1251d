import 'should';
import { Float32VertexTable } from '../../../src/mesh/welding/float32-vertex-table.js';
import { gatherPositions, weldPoints } from '../../../src/mesh/welding/weld.js';
import { createRandom } from '../models/random.js';

/** Points on a coarse grid, so that many fall together. */
const gridPoints = (count: number) => {
  const random = createRandom(11);
  return Float64Array.from({ length: count * 3 }, () => Math.floor(random() * 12) - 6);
};
const keysOf = (points: Float64Array) =>
  Array.from({ length: points.length / 3 }, (_, i) =>
    String(points.subarray(i * 3, i * 3 + 3).map((value) => value + 0)),
  );

describe('weldPoints', () => {
  it('finds the same equal points as a Map of strings, numbered as they appear', () => {
    const points = gridPoints(5000);
    const numbers = new Map<string, number>();
    const expected = keysOf(points).map((key) => {
      if (!numbers.has(key)) numbers.set(key, numbers.size);
      return numbers.get(key);
    });
    const { vertexOf, firstPoint } = weldPoints(points);
    [...vertexOf].should.deepEqual(expected);
    keysOf(gatherPositions(points, firstPoint)).should.deepEqual([...numbers.keys()]);
  });

  it('counts -0 as 0, and nothing else as equal', () => {
    const points = Float64Array.from([0, 0, 0, -0, 0, -0, Number.MIN_VALUE, 0, 0]);
    [...weldPoints(points).vertexOf].should.deepEqual([0, 0, 1]);
  });

  it('welds nothing of nothing', () => {
    weldPoints(new Float64Array()).vertexOf.length.should.equal(0);
  });
});

describe('VertexTable', () => {
  it('numbers float32 vertices as weldPoints does, however many more come than expected', () => {
    const points = gridPoints(5000);
    const words = new Uint32Array(Float32Array.from(points).buffer);
    for (const expected of [0, 1, 10_000]) {
      const table = new Float32VertexTable(expected);
      const numbers = Array.from({ length: 5000 }, (_, i) =>
        table.indexOf(words[i * 3] ?? 0, words[i * 3 + 1] ?? 0, words[i * 3 + 2] ?? 0),
      );
      const weld = weldPoints(points);
      numbers.should.deepEqual([...weld.vertexOf]);
      table.positions().should.deepEqual(gatherPositions(points, weld.firstPoint));
    }
  });

  it('keeps vertices apart that share all bits of their hash', () => {
    const random = createRandom(7);
    const word = () => Math.floor(random() * 0x7fffffff);
    const table = new Float32VertexTable(0);
    const numbers = Array.from({ length: 100_000 }, () => table.indexOf(word(), word(), word()));
    numbers.findIndex((number, i) => number !== i).should.equal(-1);
  });
});
