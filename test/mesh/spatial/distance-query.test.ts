import should from 'should';
import { squaredDistanceToTriangle } from '../../../src/mesh/geometry/point-triangle-distance.js';
import { writeBarycentricPoint } from '../../../src/mesh/geometry/sample-triangle.js';
import { DistanceQuery } from '../../../src/mesh/spatial/distance-query.js';
import { buildEdges, findTwins, NO_TWIN } from '../../../src/mesh/topology/edges.js';
import { makeCube } from '../models/cube.js';
import { meshOf, without } from '../models/mesh-of.js';
import { createRandom } from '../models/random.js';
import { makeTorus } from '../models/torus.js';

describe('squaredDistanceToTriangle', () => {
  const triangle = meshOf(
    [
      [0, 0, 0],
      [4, 0, 0],
      [0, 3, 0],
    ],
    [[0, 1, 2]],
  );
  const CASES: [string, number[], number][] = [
    ['above its interior', [1, 1, 2], 4],
    ['on it', [1, 1, 0], 0],
    ['beyond a side', [2, -3, 4], 25],
    ['beyond the longest side', [4, 3, 0], 2.4 ** 2],
    ['beyond a corner', [-3, -4, 0], 25],
  ];
  for (const [location, [x = 0, y = 0, z = 0], expected] of CASES) {
    it(`returns the squared distance of a point ${location}`, () => {
      should(squaredDistanceToTriangle(triangle, 0, x, y, z)).be.approximately(expected, 1e-12);
    });
  }

  it('is the minimum over all points of a triangle of any shape', () => {
    const random = createRandom(9);
    const coordinate = (): number => (random() - 0.5) * 10;
    for (let i = 0; i < 200; i++) {
      const shape = meshOf(
        [0, 1, 2].map(() => [coordinate(), coordinate(), coordinate() * (i % 5)]),
        [[0, 1, 2]],
      );
      const [x, y, z] = [coordinate(), coordinate(), coordinate()];
      const distance = Math.sqrt(squaredDistanceToTriangle(shape, 0, x, y, z));
      const point = new Float64Array(3);
      let min = Number.POSITIVE_INFINITY;
      for (let s = 0; s <= 50; s++) {
        for (let t = 0; t <= 50 - s; t++) {
          writeBarycentricPoint(shape, 0, s / 50, t / 50, point);
          min = Math.min(min, Math.hypot(x - (point[0] ?? 0), y - (point[1] ?? 0), z - (point[2] ?? 0)));
        }
      }
      should(min).be.within(distance - 1e-9, distance + 0.5);
    }
  });

  it('is the distance to the longest side of a degenerate triangle', () => {
    const flat = meshOf(
      [
        [0, 0, 0],
        [4, 0, 0],
        [2, 0, 0],
      ],
      [[0, 1, 2]],
    );
    should(squaredDistanceToTriangle(flat, 0, 3, 2, 0)).be.approximately(4, 1e-12);
    should(squaredDistanceToTriangle(flat, 0, 7, 4, 0)).be.approximately(25, 1e-12);
  });
});

describe('DistanceQuery', () => {
  it('finds the same distance as comparing all triangles, for points in random order', () => {
    const mesh = makeTorus();
    const query = new DistanceQuery(mesh);
    const random = createRandom(5);
    for (let i = 0; i < 300; i++) {
      const [x = 0, y = 0, z = 0] = [0, 1, 2].map(() => (random() - 0.5) * 80);
      const all = Array.from({ length: mesh.triangles.length / 3 }, (_, t) =>
        squaredDistanceToTriangle(mesh, t * 3, x, y, z),
      );
      should(query.distanceAt(x, y, z)).equal(Math.sqrt(Math.min(...all)));
      should(all[query.nearest]).equal(Math.min(...all));
    }
  });

  it('finds the same distance with a walk over twins, on open surfaces too', () => {
    const open = without(makeTorus(), 0, 1, 2, 3, 50, 51);
    const { positions, triangles } = open;
    const twins = findTwins(triangles, buildEdges(triangles, positions.length / 3));
    const [query, walking] = [new DistanceQuery(open), new DistanceQuery(open, undefined, twins)];
    const random = createRandom(6);
    for (let i = 0; i < 300; i++) {
      const [x = 0, y = 0, z = 0] = [0, 1, 2].map(() => (random() - 0.5) * 80);
      const distance = query.distanceAt(x, y, z);
      should(walking.distanceAt(x, y, z)).equal(distance);
      const neighbor = twins[walking.nearest * 3] ?? NO_TWIN;
      if (neighbor !== NO_TWIN) walking.nearest = Math.floor(neighbor / 3);
      should(walking.distanceAt(x, y, z, distance * 1.001)).be.within(distance, distance * 1.001);
      should(squaredDistanceToTriangle(open, walking.nearest * 3, x, y, z)).be.belowOrEqual((distance * 1.001) ** 2);
      walking.nearest = 0;
      walking.isWithin(x, y, z, distance * 1.001).should.be.true();
      walking.isWithin(x, y, z, distance * 0.999).should.be.false();
    }
  });

  it('stops at a distance that is sufficient', () => {
    const query = new DistanceQuery(makeCube());
    should(query.distanceAt(0, 0, 1.5, 10)).be.within(0.5, 10);
    should(query.distanceAt(0, 0, 1.5, 0.1)).equal(0.5);
  });

  it('finds a point within its distance, and not within less', () => {
    const query = new DistanceQuery(makeCube());
    for (const [z, distance] of [
      [1.5, 0.5],
      [5, 4],
    ] as const) {
      query.isWithin(0, 0, z, distance).should.be.true();
      query.isWithin(0, 0, z, distance * 0.999).should.be.false();
    }
  });

  it('finds only points of the surface within a distance of 0', () => {
    for (const [z, isWithin] of [
      [1.5, false],
      [1, true],
    ] as const) {
      should(new DistanceQuery(makeCube()).isWithin(0, 0, z, 0)).equal(isWithin);
    }
  });

  it('returns infinity for a mesh without triangles', () => {
    const query = new DistanceQuery(meshOf([], []));
    should(query.distanceAt(0, 0, 0)).equal(Number.POSITIVE_INFINITY);
    query.isWithin(0, 0, 0, 10).should.be.false();
  });
});
