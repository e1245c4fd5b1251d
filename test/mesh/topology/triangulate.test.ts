import should from 'should';
import { triangulateFace } from '../../../src/mesh/triangulation/triangulate-face.js';
import { triangulateMinimumArea } from '../../../src/mesh/triangulation/triangulate-minimum-area.js';
import { triangulateRings } from '../../../src/mesh/triangulation/triangulate-rings.js';
import { createRandom } from '../models/random.js';

const place = (points: readonly number[][]) => Float64Array.from(points.flatMap(([x = 0, y = 0, z = 0]) => [x, y, z]));
const numbers = (count: number, first = 0) => Array.from({ length: count }, (_, i) => first + i);

/** Area as seen from above, each triangle counter-clockwise counting as positive. */
const areaOf = (positions: Float64Array, triangles: readonly number[]) => {
  let area = 0;
  for (let offset = 0; offset < triangles.length; offset += 3) {
    const [a, b, c] = [0, 1, 2].map((k) => positions.subarray((triangles[offset + k] ?? 0) * 3)) as [
      Float64Array,
      Float64Array,
      Float64Array,
    ]; // three were mapped
    area +=
      (((b[0] ?? 0) - (a[0] ?? 0)) * ((c[1] ?? 0) - (a[1] ?? 0)) -
        ((c[0] ?? 0) - (a[0] ?? 0)) * ((b[1] ?? 0) - (a[1] ?? 0))) /
      2;
  }
  return area;
};

describe('triangulateRings', () => {
  it('keeps the winding of the outer ring, whichever it is', () => {
    const square = place([
      [0, 0],
      [2, 0],
      [2, 2],
      [0, 2],
    ]);
    areaOf(square, triangulateRings(square, [[0, 1, 2, 3]]) ?? []).should.equal(4);
    areaOf(square, triangulateRings(square, [[3, 2, 1, 0]]) ?? []).should.equal(-4);
  });

  it('leaves holes open', () => {
    const frame = place([
      [0, 0],
      [3, 0],
      [3, 3],
      [0, 3],
      [1, 1],
      [1, 2],
      [2, 2],
      [2, 1],
    ]);
    const triangles = triangulateRings(frame, [numbers(4), numbers(4, 4)]) ?? [];
    triangles.length.should.equal(8 * 3);
    areaOf(frame, triangles).should.equal(8);
  });

  it('uses every corner, also on straight lines, each ring edge once', () => {
    const random = createRandom(4);
    for (let round = 0; round < 50; round++) {
      // A square with points at random along its sides.
      const points = [0, 1, 2, 3].flatMap((side) => {
        const shares = [0, ...Array.from({ length: Math.floor(random() * 6) }, random)].sort((a, b) => a - b);
        return shares.map(
          (t) =>
            [
              [t, 0],
              [1, t],
              [1 - t, 1],
              [0, 1 - t],
            ][side] ?? [],
        );
      });
      const square = place(points);
      const triangles = triangulateRings(square, [numbers(points.length)]) ?? [];
      triangles.length.should.equal((points.length - 2) * 3);
      areaOf(square, triangles).should.be.approximately(1, 1e-12);
      const sides = new Set(triangles.map((corner, h) => `${corner} ${triangles[h % 3 === 2 ? h - 2 : h + 1]}`));
      for (const corner of numbers(points.length))
        sides.has(`${corner} ${(corner + 1) % points.length}`).should.be.true();
    }
  });

  it('refuses a ring that crosses itself, and one without area', () => {
    should(
      triangulateRings(
        place([
          [0, 0],
          [2, 2],
          [2, 0],
          [0, 3],
        ]),
        [numbers(4)],
      ),
    ).be.undefined();
    should(
      triangulateRings(
        place([
          [0, 0],
          [1, 0],
          [2, 0],
        ]),
        [numbers(3)],
      ),
    ).be.undefined();
  });
});

describe('triangulateMinimum', () => {
  it('covers a planar ring by its own area', () => {
    const arrow = place([
      [0, 0],
      [4, 0],
      [1, 1],
      [0, 4],
    ]);
    areaOf(arrow, triangulateMinimumArea(arrow, numbers(4))).should.be.approximately(4, 1e-12);
  });

  it('takes the shorter way over a saddle', () => {
    const saddle = place([
      [0, 0, 0],
      [1, 0, 1],
      [1, 9, 0],
      [0, 9, 1],
    ]);
    triangulateMinimumArea(saddle, numbers(4)).length.should.equal(6);
  });

  it('keeps off diagonals that are taken, and uses as few as can be where it must', () => {
    const hexagon = place(numbers(6).map((i) => [Math.cos((i * Math.PI) / 3), Math.sin((i * Math.PI) / 3)]));
    const diagonalsOf = (triangles: readonly number[]) =>
      triangles
        .map((from, h) => [from, triangles[h % 3 === 2 ? h - 2 : h + 1] ?? 0] as const)
        .filter(([from, to]) => from < to && to - from > 1 && to - from < 5);
    const shortTaken = diagonalsOf(triangulateMinimumArea(hexagon, numbers(6), (a, b) => Math.abs(a - b) === 2));
    shortTaken.filter(([a, b]) => b - a === 2).should.have.length(1); // 0 2 cannot be had without, or 1 3
    triangulateMinimumArea(hexagon, numbers(6), () => true).should.have.length(4 * 3);
  });

  it('makes two triangles less than corners, also where areas overflow', () => {
    const huge = place(numbers(9).map((i) => [Math.cos(i) * 1e200, Math.sin(i) * 1e200, i]));
    triangulateMinimumArea(huge, numbers(9)).length.should.equal(7 * 3);
  });
});

describe('triangulateFace', () => {
  it('makes a fan of a convex face, and nothing of two corners', () => {
    const square = place([
      [0, 0],
      [1, 0],
      [1, 1],
      [0, 1],
    ]);
    triangulateFace(square, numbers(4)).should.deepEqual([0, 1, 2, 0, 2, 3]);
    triangulateFace(square, [0, 1]).should.be.empty();
  });

  it('makes something of any face', () => {
    const crossed = place([
      [0, 0],
      [2, 2],
      [2, 0],
      [0, 3],
    ]);
    triangulateFace(crossed, numbers(4)).length.should.equal(6);
    const flat = place(numbers(300).map((i) => [i, 0]));
    triangulateFace(flat, numbers(300)).length.should.equal(298 * 3);
  });
});
