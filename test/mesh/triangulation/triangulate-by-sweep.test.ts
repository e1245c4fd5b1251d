import should from 'should';
import { IntervalTree } from '../../../src/mesh/triangulation/interval-tree.js';
import { triangulateBySweep } from '../../../src/mesh/triangulation/triangulate-by-sweep.js';
import { triangulateFace } from '../../../src/mesh/triangulation/triangulate-face.js';
import { createRandom } from '../models/random.js';

/** Computes twice the area of a triangle, positive if counterclockwise. */
function doubleArea(xy: readonly number[], a: number, b: number, c: number): number {
  const at = (index: number): number => xy[index] ?? Number.NaN;
  return (
    (at(b * 2) - at(a * 2)) * (at(c * 2 + 1) - at(a * 2 + 1)) -
    (at(c * 2) - at(a * 2)) * (at(b * 2 + 1) - at(a * 2 + 1))
  );
}

function doubleAreaOfPolygon(xy: readonly number[]): number {
  let sum = 0;
  for (let corner = 1; corner + 1 < xy.length / 2; corner++) sum += doubleArea(xy, 0, corner, corner + 1);
  return sum;
}

/** Checks that all corners are used by counterclockwise triangles that add up to the polygon. */
function assertTriangulates(xy: readonly number[]): void {
  const triangles = triangulateBySweep(xy) ?? [];
  triangles.length.should.equal((xy.length / 2 - 2) * 3);
  let sum = 0;
  for (let i = 0; i < triangles.length; i += 3) {
    const area = doubleArea(xy, triangles[i] ?? -1, triangles[i + 1] ?? -1, triangles[i + 2] ?? -1);
    area.should.be.aboveOrEqual(-1e-12);
    sum += area;
  }
  const expected = doubleAreaOfPolygon(xy);
  sum.should.be.approximately(expected, 1e-9 * Math.abs(expected));
}

function turn(xy: readonly number[], degrees: number): number[] {
  const [cos, sin] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
  return xy.map((value, i) =>
    i % 2 === 0 ? value * cos - (xy[i + 1] ?? 0) * sin : (xy[i - 1] ?? 0) * sin + value * cos,
  );
}

function createStar(count: number, seed: number): number[] {
  const random = createRandom(seed);
  return Array.from({ length: count }, (_, i) => {
    const angle = (2 * Math.PI * i) / count;
    const radius = 1 + random() * 0.3;
    return [radius * Math.cos(angle), radius * Math.sin(angle)];
  }).flat();
}

/** Returns a band between two spirals, whose corners are far from most of their neighbors on the sweep line. */
function createSpiral(count: number): number[] {
  const half = count / 2;
  const createArm = (offset: number) =>
    Array.from({ length: half }, (_, i) => {
      const angle = (i / half) * 20 * Math.PI;
      return [(angle + offset) * Math.cos(angle), (angle + offset) * Math.sin(angle)];
    });
  return [...createArm(3), ...createArm(1).reverse()].flat();
}

const SHAPES: Record<string, number[]> = {
  'a triangle': [0, 0, 4, 0, 0, 3],
  'a square with corners on its sides': [0, 0, 1, 0, 2, 0, 2, 1, 2, 2, 1, 2, 0, 2, 0, 1],
  'steps on both sides': [0, 0, 4, 0, 4, 1, 3, 1, 3, 2, 2, 2, 2, 3, 1, 3, 1, 2, 0.5, 2, 0.5, 1, 0, 1],
  'a comb': [0, -1, 9, -1, 9, 5, 8, 0, 7, 5, 6, 0, 5, 5, 4, 0, 3, 5, 2, 0, 1, 5, 0, 0],
  'a cross': [1, 0, 2, 0, 2, 1, 3, 1, 3, 2, 2, 2, 2, 3, 1, 3, 1, 2, 0, 2, 0, 1, 1, 1],
  'a ring that is almost closed': [0, 0, 5, 0, 5, 5, 0, 5, 0, 0.1, 1, 0.1, 1, 4, 4, 4, 4, 1, 0, 1].slice(0, 18),
  'a star': createStar(300, 3),
  'a spiral': createSpiral(400),
};

describe('triangulateBySweep', () => {
  for (const [name, xy] of Object.entries(SHAPES)) {
    it(`triangulates ${name}, turned by any angle`, () => {
      for (const degrees of [0, 90, 180, 270]) {
        const turned = turn(xy, degrees).map((value) => Math.round(value * 1e6) / 1e6);
        if (doubleAreaOfPolygon(turned) > 0) assertTriangulates(turned);
      }
      for (const degrees of [1, 30, 77]) assertTriangulates(turn(xy, degrees));
    });
  }

  it('drops a corner that equals the one before', () => {
    const triangles = triangulateBySweep([0, 0, 1, 0, 1, 0, 1, 1, 0, 1, 0, 0]) ?? [];
    triangles.length.should.equal(6);
  });

  it('returns undefined or another area for a polygon that intersects itself', () => {
    const random = createRandom(5);
    for (let i = 0; i < 200; i++) {
      const xy = Array.from({ length: 40 }, () => Math.floor(random() * 10));
      const triangles = triangulateBySweep(xy);
      if (triangles) should(triangles.length % 3).equal(0);
    }
  });

  it('triangulates a face of 400,000 corners', () => {
    const xy = createStar(400_000, 9);
    const positions = Float64Array.from({ length: 1_200_000 }, (_, i) =>
      i % 3 === 2 ? 0 : (xy[Math.floor(i / 3) * 2 + (i % 3)] ?? 0),
    );
    const face = Array.from({ length: 400_000 }, (_, i) => i);
    const triangles = triangulateFace(positions, face);
    triangles.length.should.equal(399_998 * 3);
    let sum = 0;
    for (let i = 0; i < triangles.length; i += 3)
      sum += Math.abs(doubleArea(xy, triangles[i] ?? -1, triangles[i + 1] ?? -1, triangles[i + 2] ?? -1));
    sum.should.be.approximately(doubleAreaOfPolygon(xy), 1e-6);
  });
});

describe('triangulateBySweep with holes', () => {
  /** Returns a circle, clockwise if the radius is negative. */
  const circle = (radius: number, count: number, [x, y] = [0, 0]) =>
    Array.from({ length: count }, (_, i) => {
      const angle = (2 * Math.PI * (i + 0.5)) / count;
      return [(x ?? 0) + Math.abs(radius) * Math.cos(angle), (y ?? 0) + radius * Math.sin(angle)];
    }).flat();

  /** Returns the corners of an outer ring and its holes, and checks their triangles. */
  const assertCovers = (rings: readonly number[][], degrees: number) => {
    const xy = turn(rings.flat(), degrees);
    const holeStarts = rings.slice(1).map((_, i) => rings.slice(0, i + 1).flat().length / 2);
    const triangles = triangulateBySweep(xy, holeStarts) ?? [];
    triangles.length.should.equal((xy.length / 2 + 2 * holeStarts.length - 2) * 3);
    let sum = 0;
    for (let i = 0; i < triangles.length; i += 3) {
      const area = doubleArea(xy, triangles[i] ?? -1, triangles[i + 1] ?? -1, triangles[i + 2] ?? -1);
      area.should.be.aboveOrEqual(-1e-12);
      sum += area;
    }
    sum.should.be.approximately(
      rings.reduce((total, ring) => total + doubleAreaOfPolygon(ring), 0),
      1e-6,
    );
  };

  it('triangulates a square with a square hole, turned by any angle', () => {
    const outer = [0, 0, 3, 0, 3, 3, 0, 3];
    const hole = [1, 1, 1, 2, 2, 2, 2, 1];
    for (const degrees of [0, 1, 30, 77, 90]) assertCovers([outer, hole], degrees);
  });

  it('triangulates a plate with a hundred holes', () => {
    const holes = Array.from({ length: 100 }, (_, i) => circle(-0.4, 12, [(i % 10) - 4.5, Math.floor(i / 10) - 4.5]));
    for (const degrees of [0, 1, 45]) assertCovers([[-5, -5, 5, -5, 5, 5, -5, 5], ...holes], degrees);
  });

  it('triangulates an annulus of 200,000 corners', () => {
    assertCovers([circle(2, 100_000), circle(-1, 100_000)], 0);
  });

  it('triangulates a plate with 20,000 holes', () => {
    const holes = Array.from({ length: 20_000 }, (_, i) =>
      circle(-0.4, 5, [(i % 200) + 0.5, Math.floor(i / 200) + 0.5]),
    );
    const starts = holes.map((_, i) => 4 + i * 5);
    const triangles = triangulateBySweep([0, 0, 200, 0, 200, 100, 0, 100, ...holes.flat()], starts) ?? [];
    triangles.length.should.equal((4 + 100_000 + 2 * 20_000 - 2) * 3);
  });
});

describe('triangulateFace', () => {
  it('triangulates a long face with a hole on a bridge', () => {
    // Two circles of 600 corners; the bridge is used in both directions.
    const circle = (radius: number) =>
      Array.from({ length: 600 }, (_, i) => {
        const angle = (2 * Math.PI * i) / 600;
        return [radius * Math.cos(angle), radius * Math.sin(angle), 0];
      });
    const positions = Float64Array.from([...circle(2), ...circle(1)].flat());
    const outer = Array.from({ length: 601 }, (_, i) => i % 600);
    const inner = Array.from({ length: 601 }, (_, i) => 600 + ((600 - i) % 600));
    const triangles = triangulateFace(positions, [...outer, ...inner]);
    const xy = [...positions].filter((_, i) => i % 3 < 2);
    let sum = 0;
    for (let i = 0; i < triangles.length; i += 3)
      sum += doubleArea(xy, triangles[i] ?? -1, triangles[i + 1] ?? -1, triangles[i + 2] ?? -1);
    sum.should.be.approximately(6 * Math.PI, 0.001);
  });
});

describe('IntervalTree', () => {
  it('keeps the order of a list under insertions and removals', () => {
    const random = createRandom(11);
    const tree = new IntervalTree(2000);
    const list: number[] = [];
    for (let interval = 0; interval < 2000; interval++) {
      const index = Math.floor(random() * (list.length + 1));
      tree.insertAfter(list[index - 1] ?? -1, interval);
      list.splice(index, 0, interval);
      if (random() < 0.4) {
        const [removed = -1] = list.splice(Math.floor(random() * list.length), 1);
        tree.remove(removed);
      }
      const end = Math.floor(random() * (list.length + 1));
      const rank = new Map(list.map((entry, i) => [entry, i]));
      tree.findLast((entry) => (rank.get(entry) ?? -1) < end).should.equal(list[end - 1] ?? -1);
    }
  });
});
