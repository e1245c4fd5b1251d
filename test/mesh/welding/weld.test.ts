import 'should';
import { Float32VertexTable } from '../../../src/mesh/welding/float32-vertex-table.js';
import { gatherPositions, weldPoints } from '../../../src/mesh/welding/weld.js';
import { createRandom } from '../models/random.js';

/** Creates points on a coarse grid, of which many coincide. */
function gridPoints(count: number): Float64Array {
  const random = createRandom(11);
  return Float64Array.from({ length: count * 3 }, () => Math.floor(random() * 12) - 6);
}

/** Returns a text for each point that is equal for equal coordinates. */
function keysOf(points: Float64Array): string[] {
  return Array.from({ length: points.length / 3 }, (_, i) =>
    String(points.subarray(i * 3, i * 3 + 3).map((value) => value + 0)),
  );
}

describe('weldPoints', () => {
  it('returns the same vertices as a Map of strings, in the order of first appearance', () => {
    const points = gridPoints(5000);
    const indices = new Map<string, number>();
    const expected = keysOf(points).map((key) => {
      if (!indices.has(key)) indices.set(key, indices.size);
      return indices.get(key);
    });
    const { vertexOf, firstPoint } = weldPoints(points);
    [...vertexOf].should.deepEqual(expected);
    keysOf(gatherPositions(points, firstPoint)).should.deepEqual([...indices.keys()]);
  });

  it('treats -0 as 0 and keeps the smallest positive number distinct', () => {
    const points = Float64Array.from([0, 0, 0, -0, 0, -0, Number.MIN_VALUE, 0, 0]);
    [...weldPoints(points).vertexOf].should.deepEqual([0, 0, 1]);
  });

  it('returns no vertices for no points', () => {
    weldPoints(new Float64Array()).vertexOf.length.should.equal(0);
  });
});

describe('Float32VertexTable', () => {
  it('returns the same vertices as `weldPoints` for any expected count', () => {
    const points = gridPoints(5000);
    const words = new Uint32Array(Float32Array.from(points).buffer);
    for (const expected of [0, 1, 10_000]) {
      const table = new Float32VertexTable(expected);
      const indices = Array.from({ length: 5000 }, (_, i) =>
        table.add(words[i * 3] ?? 0, words[i * 3 + 1] ?? 0, words[i * 3 + 2] ?? 0),
      );
      const weld = weldPoints(points);
      indices.should.deepEqual([...weld.vertexOf]);
      table.toPositions().should.deepEqual(gatherPositions(points, weld.firstPoint));
    }
  });

  it('distinguishes 100,000 random vertices, some of which have equal hashes', () => {
    const random = createRandom(7);
    const word = () => Math.floor(random() * 0x7fffffff);
    const table = new Float32VertexTable(0);
    const indices = Array.from({ length: 100_000 }, () => table.add(word(), word(), word()));
    indices.findIndex((index, i) => index !== i).should.equal(-1);
  });
});
