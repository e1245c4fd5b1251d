import 'should';
import { buildBvh, forEachTriangleInBox } from '../../../src/mesh/spatial/bvh.js';
import { castRay, castRayAt } from '../../../src/mesh/spatial/cast-ray.js';
import { createContainingBoxesQuery, emptyBoxes } from '../../../src/mesh/spatial/containing-boxes.js';
import { findNearPairs } from '../../../src/mesh/spatial/near-pairs.js';
import { forEachTriangleNearSegment } from '../../../src/mesh/spatial/segment-query.js';
import { makeCube } from '../models/cube.js';
import { joined, placed } from '../models/mesh-of.js';
import { createRandom } from '../models/random.js';
import { makeTorus } from '../models/torus.js';

function randomPoints(count: number, seed = 1): Float64Array {
  const random = createRandom(seed);
  return Float64Array.from({ length: count * 3 }, random);
}

function distanceToSegment(points: Float64Array, point: number, from: readonly number[], to: readonly number[]) {
  const part = (k: number) => (points[point * 3 + k] ?? 0) - (from[k] ?? 0);
  const along = (k: number) => (to[k] ?? 0) - (from[k] ?? 0);
  const dot = (one: (k: number) => number, other: (k: number) => number) =>
    [0, 1, 2].reduce((sum, k) => sum + one(k) * other(k), 0);
  const t = Math.min(1, Math.max(0, dot(part, along) / (dot(along, along) || 1)));
  return Math.hypot(...[0, 1, 2].map((k) => part(k) - t * along(k)));
}

describe('forEachTriangleInBox', () => {
  it('visits each triangle whose box touches the box once', () => {
    const { positions, triangles } = makeTorus();
    const tree = buildBvh(positions, triangles);
    for (const [min, max] of [
      [
        [0, 0, 0],
        [30, 30, 10],
      ],
      [
        [-30, -30, -10],
        [30, 30, 10],
      ],
      [
        [20, 0, 6],
        [20, 0, 6],
      ],
    ] as const) {
      const visited: number[] = [];
      forEachTriangleInBox(tree, min, max, (triangle) => visited.push(triangle));
      const expected = [...Array(triangles.length / 3).keys()].filter((triangle) =>
        [0, 1, 2].every((axis) => {
          const parts = [0, 1, 2].map((k) => positions[(triangles[triangle * 3 + k] ?? 0) * 3 + axis] ?? 0);
          return Math.min(...parts) <= (max[axis] ?? 0) && Math.max(...parts) >= (min[axis] ?? 0);
        }),
      );
      visited.sort((a, b) => a - b).should.deepEqual(expected);
    }
  });
});

describe('findNearPairs', () => {
  it('finds the same pairs as comparing all vertices, closest first', () => {
    const points = randomPoints(300);
    const vertices = [...Array(300).keys()];
    const expected = vertices.flatMap((a) =>
      vertices
        .slice(a + 1)
        .map((b) => ({
          a,
          b,
          distanceMm: Math.hypot(...[0, 1, 2].map((k) => (points[a * 3 + k] ?? 0) - (points[b * 3 + k] ?? 0))),
        }))
        .filter(({ distanceMm }) => distanceMm <= 0.1),
    );
    expected.length.should.be.above(50);
    findNearPairs(points, vertices, () => 0.1).should.deepEqual(expected.sort((x, y) => x.distanceMm - y.distanceMm));
  });

  it('limits the number of pairs of 1000 coincident vertices', () => {
    const spot = new Float64Array(3000);
    findNearPairs(spot, [...Array(1000).keys()], () => 1).length.should.be.below(40_000);
  });
});

describe('createContainingBoxesQuery', () => {
  const boxes = emptyBoxes(4);
  boxes.set([0, 0, 0, 2, 2, 2], 0);
  boxes.set([1, 1, 1, 3, 3, 3], 12);
  boxes.set([5, 5, 5, 5, 5, 5], 18);
  const find = (min: readonly number[], max = min) => {
    const found: number[] = [];
    createContainingBoxesQuery(boxes)(min, max, (box) => found.push(box));
    return found.sort((a, b) => a - b);
  };

  it('visits the boxes that contain a point, and no empty box', () => {
    find([1.5, 1.5, 1.5]).should.deepEqual([0, 2]);
    find([2.5, 2, 2]).should.deepEqual([2]);
    find([5, 5, 5]).should.deepEqual([3]);
    find([9, 9, 9]).should.be.empty();
  });

  it('visits the boxes that contain a box, itself included', () => {
    find([1, 1, 1], [2, 2, 2]).should.deepEqual([0, 2]);
    find([1, 1, 1], [2, 2, 2.5]).should.deepEqual([2]);
    find([1, 1, 1], [3, 3, 3]).should.deepEqual([2]);
  });
});

describe('forEachTriangleNearSegment', () => {
  const points = randomPoints(2000);
  const tree = buildBvh(
    points,
    Uint32Array.from({ length: 6000 }, (_, i) => Math.floor(i / 3)),
  );
  const find = (from: readonly number[], to: readonly number[], margin: number) => {
    const found: number[] = [];
    forEachTriangleNearSegment(tree, from, to, margin, (point) => found.push(point));
    return found;
  };

  it('visits each point near a segment once, and few others', () => {
    for (const [from, to] of [
      [
        [0, 0, 0],
        [1, 1, 1],
      ],
      [
        [0.1, 0.5, 0.5],
        [0.9, 0.5, 0.5],
      ],
      [
        [0.5, 0.5, 0.5],
        [0.5, 0.5, 0.5],
      ],
    ] as const) {
      const found = find(from, to, 0.1);
      new Set(found).size.should.equal(found.length);
      const near = [...Array(2000).keys()].filter((point) => distanceToSegment(points, point, from, to) <= 0.1);
      near.length.should.be.above(4);
      for (const point of near) found.should.containEql(point);
      found.length.should.be.below(near.length * 4);
    }
  });

  it('visits no point far from a diagonal', () => {
    find([0, 0, 0], [1, 1, 1], 1e-6).length.should.be.below(3);
  });
});

describe('castRay', () => {
  it('crosses a closed shell an odd number of times from inside, an even number from outside', () => {
    const shells = [
      placed(makeCube(), [0, 0, 0], 0.1),
      placed(makeCube(), [0, 0, 0], 5),
      placed(makeCube(), [50, 0, 0]),
    ];
    const mesh = joined(...shells);
    const tree = buildBvh(mesh.positions, mesh.triangles);
    const isMiddle = (triangle: number) => Math.floor(triangle / 12) === 1;
    (castRay(mesh, tree, 0, isMiddle).hits.length % 2).should.equal(1);
    (castRay(mesh, tree, 24, isMiddle).hits.length % 2).should.equal(0);
    const middle = Array.from({ length: 12 }, (_, i) => 12 + i);
    (castRayAt(mesh, tree, 0, middle).hits.length % 2).should.equal(1);
    (castRayAt(mesh, tree, 24, middle).hits.length % 2).should.equal(0);
  });
});
