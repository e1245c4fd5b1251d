import 'should';
import { buildBvh, forEachTriangleInBox } from '../../../src/mesh/spatial/bvh.js';
import { castRay } from '../../../src/mesh/spatial/cast-ray.js';
import { findNearPairs } from '../../../src/mesh/spatial/near-pairs.js';
import { createPointInBoxQuery, emptyBoxes } from '../../../src/mesh/spatial/point-in-box-query.js';
import { makeCube } from '../models/cube.js';
import { joined, placed } from '../models/mesh-of.js';
import { createRandom } from '../models/random.js';
import { makeTorus } from '../models/torus.js';

function randomPoints(count: number, seed = 1): Float64Array {
  const random = createRandom(seed);
  return Float64Array.from({ length: count * 3 }, random);
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
    findNearPairs(points, vertices, 0.1).should.deepEqual(expected.sort((x, y) => x.distanceMm - y.distanceMm));
  });

  it('limits the number of pairs of 1000 coincident vertices', () => {
    const spot = new Float64Array(3000);
    findNearPairs(spot, [...Array(1000).keys()], 1).length.should.be.below(40_000);
  });
});

describe('createPointInBoxQuery', () => {
  it('returns the boxes that contain a point, and no empty box', () => {
    const boxes = emptyBoxes(4);
    boxes.set([0, 0, 0, 2, 2, 2], 0);
    boxes.set([1, 1, 1, 3, 3, 3], 12);
    boxes.set([5, 5, 5, 5, 5, 5], 18);
    const find = createPointInBoxQuery(boxes);
    find([1.5, 1.5, 1.5]).should.deepEqual([0, 2]);
    find([2.5, 2, 2]).should.deepEqual([2]);
    find([5, 5, 5]).should.deepEqual([3]);
    find([9, 9, 9]).should.be.empty();
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
    (castRay(mesh, tree, 0, isMiddle).length % 2).should.equal(1);
    (castRay(mesh, tree, 24, isMiddle).length % 2).should.equal(0);
  });
});
