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

/** Adds float32 points as triangles that are `strideBytes` apart, in several calls. Returns the index of each point. */
function addInCalls(table: Float32VertexTable, points: ArrayLike<number>, trianglesPerCall: number, strideBytes = 36) {
  const triangleCount = points.length / 9;
  const view = new DataView(new ArrayBuffer(triangleCount * strideBytes));
  for (let i = 0; i < points.length; i++)
    view.setFloat32(Math.floor(i / 9) * strideBytes + (i % 9) * 4, points[i] ?? 0, true);
  const indices = new Uint32Array(triangleCount * 3);
  for (let first = 0; first < triangleCount; first += trianglesPerCall) {
    const count = Math.min(trianglesPerCall, triangleCount - first);
    table.addTriangles(view, first * strideBytes, count, strideBytes, indices, first * 3);
  }
  return [...indices];
}

describe('Float32VertexTable', () => {
  it('returns the same vertices as `weldPoints` for any expected count, stride and number of triangles per call', () => {
    const points = gridPoints(6000);
    const weld = weldPoints(points);
    for (const [expected, trianglesPerCall, strideBytes] of [
      [0, 1, 36],
      [1, 7, 50],
      [10_000, 2000, 50],
    ] as const) {
      const table = new Float32VertexTable(expected);
      addInCalls(table, points, trianglesPerCall, strideBytes).should.deepEqual([...weld.vertexOf]);
      table.toPositions().should.deepEqual(gatherPositions(points, weld.firstPoint));
    }
  });

  it('treats -0 as 0, also in the first vertex', () => {
    const table = new Float32VertexTable(1);
    addInCalls(table, [-0, 0, -0, 0, 0, 0, 0, -0, 1], 1).should.deepEqual([0, 0, 1]);
    table.toPositions().should.deepEqual(Float64Array.from([0, 0, 0, 0, 0, 1]));
  });

  it('distinguishes 100,000 vertices, some of which have equal hashes', () => {
    const random = createRandom(7);
    const points = Float32Array.from({ length: 99_999 * 3 }, (_, i) => (i % 3 === 0 ? i : random()));
    const indices = addInCalls(new Float32VertexTable(0), points, 1000);
    indices.findIndex((index, i) => index !== i).should.equal(-1);
  });
});
