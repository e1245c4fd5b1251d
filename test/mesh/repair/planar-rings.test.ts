import 'should';
import { nestPlanarRings, type PlanarRing, toPlanarRing } from '../../../src/mesh/repair/planar-rings.js';
import { createRandom } from '../models/random.js';

/** Adds a square around a center, in the plane of two directions. */
function addSquare(coordinates: number[], center: readonly number[], u: readonly number[], v: readonly number[]) {
  const first = coordinates.length / 3;
  for (const [a = 0, b = 0] of [
    [-1, -1],
    [1, -1],
    [1, 1],
    [-1, 1],
  ])
    coordinates.push(...center.map((part, k) => part + a * (u[k] ?? 0) + b * (v[k] ?? 0)));
  return [first, first + 1, first + 2, first + 3];
}

function toRings(coordinates: readonly number[], rings: readonly number[][]) {
  const positions = Float64Array.from(coordinates);
  return { positions, planar: rings.map((ring) => toPlanarRing(positions, ring) as PlanarRing) };
}

describe('nestPlanarRings', () => {
  it('takes a ring for a hole of the smallest one around it that faces the opposite way', () => {
    const coordinates: number[] = [];
    const [x, y] = [
      [1, 0, 0],
      [0, 1, 0],
    ] as const;
    const scaled = (v: readonly number[], factor: number) => v.map((part) => part * factor);
    const rings = [
      addSquare(coordinates, [0, 0, 0], scaled(x, 4), scaled(y, 4)),
      addSquare(coordinates, [0, 0, 0], y, x),
      addSquare(coordinates, [0, 0, 0], scaled(x, 8), scaled(y, 8)),
      addSquare(coordinates, [0, 0, 5], y, x),
    ];
    const { positions, planar } = toRings(coordinates, rings);
    nestPlanarRings(positions, planar).should.deepEqual([[rings[3]], [rings[0], rings[1]], [rings[2]]]);
  });

  it('finds holes in a ring whose normal is on the border between two cells', () => {
    for (const tilt of [-1e-3, 0, 1e-3]) {
      const coordinates: number[] = [];
      const outer = addSquare(coordinates, [0, 0, 0], [4, 0, 4 * tilt], [0, 4, 0]);
      const inner = addSquare(coordinates, [0, 0, 0], [0, 1, 0], [1, 0, tilt]);
      const { positions, planar } = toRings(coordinates, [outer, inner]);
      nestPlanarRings(positions, planar).should.deepEqual([[outer, inner]]);
    }
  });

  it('compares each of 4,000 rings around one point with less than 200 others', () => {
    const count = 4000;
    const random = createRandom(1);
    const coordinates: number[] = [];
    const rings = Array.from({ length: count }, () => {
      const [u, v] = [0, 1].map(() => [0, 1, 2].map(() => random() - 0.5));
      return addSquare(coordinates, [0, 0, 0], u as number[], v as number[]);
    });
    const { positions, planar } = toRings(coordinates, rings);
    let reads = 0;
    const counted = planar.map((ring) => ({
      ...ring,
      get normal() {
        reads++;
        return ring.normal;
      },
    }));
    nestPlanarRings(positions, counted).length.should.equal(count);
    reads.should.be.below(count * 200);
  });
});
