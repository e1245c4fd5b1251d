import should from 'should';
import { triangulateFace } from '../../../src/mesh/triangulation/triangulate-face.js';
import { triangulateMinimumArea } from '../../../src/mesh/triangulation/triangulate-minimum-area.js';
import { triangulateRings } from '../../../src/mesh/triangulation/triangulate-rings.js';
import { createRandom } from '../models/random.js';

function toPositions(points: readonly number[][]): Float64Array {
  return Float64Array.from(points.flatMap(([x = 0, y = 0, z = 0]) => [x, y, z]));
}

function range(count: number, first = 0): number[] {
  return Array.from({ length: count }, (_, i) => first + i);
}

/** Computes the signed area seen from above, positive for counterclockwise triangles. */
function areaOf(positions: Float64Array, triangles: readonly number[]): number {
  let area = 0;
  for (let offset = 0; offset < triangles.length; offset += 3) {
    const [a, b, c] = [0, 1, 2].map((k) => positions.subarray((triangles[offset + k] ?? 0) * 3)) as [
      Float64Array,
      Float64Array,
      Float64Array,
    ]; // three elements, as mapped
    area +=
      (((b[0] ?? 0) - (a[0] ?? 0)) * ((c[1] ?? 0) - (a[1] ?? 0)) -
        ((c[0] ?? 0) - (a[0] ?? 0)) * ((b[1] ?? 0) - (a[1] ?? 0))) /
      2;
  }
  return area;
}

describe('triangulateRings', () => {
  it('keeps the winding of the outer ring', () => {
    const square = toPositions([
      [0, 0],
      [2, 0],
      [2, 2],
      [0, 2],
    ]);
    areaOf(square, triangulateRings(square, [[0, 1, 2, 3]]) ?? []).should.equal(4);
    areaOf(square, triangulateRings(square, [[3, 2, 1, 0]]) ?? []).should.equal(-4);
  });

  it('leaves holes open', () => {
    const frame = toPositions([
      [0, 0],
      [3, 0],
      [3, 3],
      [0, 3],
      [1, 1],
      [1, 2],
      [2, 2],
      [2, 1],
    ]);
    const triangles = triangulateRings(frame, [range(4), range(4, 4)]) ?? [];
    triangles.length.should.equal(8 * 3);
    areaOf(frame, triangles).should.equal(8);
  });

  it('uses every corner and each ring edge once, also for collinear corners', () => {
    const random = createRandom(4);
    for (let round = 0; round < 50; round++) {
      // A square with random points on its sides.
      const points = [0, 1, 2, 3].flatMap((side) => {
        const parameters = [0, ...Array.from({ length: Math.floor(random() * 6) }, random)].sort((a, b) => a - b);
        return parameters.map(
          (t) =>
            [
              [t, 0],
              [1, t],
              [1 - t, 1],
              [0, 1 - t],
            ][side] ?? [],
        );
      });
      const square = toPositions(points);
      const triangles = triangulateRings(square, [range(points.length)]) ?? [];
      triangles.length.should.equal((points.length - 2) * 3);
      areaOf(square, triangles).should.be.approximately(1, 1e-12);
      const sides = new Set(triangles.map((corner, h) => `${corner} ${triangles[h % 3 === 2 ? h - 2 : h + 1]}`));
      for (const corner of range(points.length))
        sides.has(`${corner} ${(corner + 1) % points.length}`).should.be.true();
    }
  });

  it('rejects a ring that intersects itself and a ring of zero area', () => {
    should(
      triangulateRings(
        toPositions([
          [0, 0],
          [2, 2],
          [2, 0],
          [0, 3],
        ]),
        [range(4)],
      ),
    ).be.undefined();
    should(
      triangulateRings(
        toPositions([
          [0, 0],
          [1, 0],
          [2, 0],
        ]),
        [range(3)],
      ),
    ).be.undefined();
  });
});

describe('triangulateMinimumArea', () => {
  it('covers exactly the area of a planar ring', () => {
    const arrow = toPositions([
      [0, 0],
      [4, 0],
      [1, 1],
      [0, 4],
    ]);
    areaOf(arrow, triangulateMinimumArea(arrow, range(4))).should.be.approximately(4, 1e-12);
  });

  it('triangulates a saddle with two triangles', () => {
    const saddle = toPositions([
      [0, 0, 0],
      [1, 0, 1],
      [1, 9, 0],
      [0, 9, 1],
    ]);
    triangulateMinimumArea(saddle, range(4)).length.should.equal(6);
  });

  it('avoids existing diagonals, and uses as few as possible if unavoidable', () => {
    const hexagon = toPositions(range(6).map((i) => [Math.cos((i * Math.PI) / 3), Math.sin((i * Math.PI) / 3)]));
    const diagonalsOf = (triangles: readonly number[]) =>
      triangles
        .map((from, h) => [from, triangles[h % 3 === 2 ? h - 2 : h + 1] ?? 0] as const)
        .filter(([from, to]) => from < to && to - from > 1 && to - from < 5);
    const diagonals = diagonalsOf(triangulateMinimumArea(hexagon, range(6), (a, b) => Math.abs(a - b) === 2));
    diagonals.filter(([a, b]) => b - a === 2).should.have.length(1); // 0 2 or 1 3 is unavoidable
    triangulateMinimumArea(hexagon, range(6), () => true).should.have.length(4 * 3);
  });

  it('returns two triangles fewer than corners, also if areas overflow', () => {
    const huge = toPositions(range(9).map((i) => [Math.cos(i) * 1e200, Math.sin(i) * 1e200, i]));
    triangulateMinimumArea(huge, range(9)).length.should.equal(7 * 3);
  });
});

describe('triangulateFace', () => {
  it('returns a fan for a convex face and nothing for two corners', () => {
    const square = toPositions([
      [0, 0],
      [1, 0],
      [1, 1],
      [0, 1],
    ]);
    triangulateFace(square, range(4)).should.deepEqual([0, 1, 2, 0, 2, 3]);
    triangulateFace(square, [0, 1]).should.be.empty();
  });

  it('returns triangles for self-intersecting and collinear faces', () => {
    const crossed = toPositions([
      [0, 0],
      [2, 2],
      [2, 0],
      [0, 3],
    ]);
    triangulateFace(crossed, range(4)).length.should.equal(6);
    const flat = toPositions(range(300).map((i) => [i, 0]));
    triangulateFace(flat, range(300)).length.should.equal(298 * 3);
  });
});
