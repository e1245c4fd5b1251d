import 'should';
import { orient2dSign } from '../../../src/mesh/geometry/predicates.js';
import { nextOf } from '../../../src/mesh/topology/half-edge.js';
import { ConstrainedDelaunay } from '../../../src/mesh/triangulation/constrained-delaunay.js';
import { insertConstraint } from '../../../src/mesh/triangulation/insert-constraint.js';
import { createRandom } from '../models/random.js';

const CORNERS = [0, 0, 1, 0, 0, 1];

/** Asserts that all triangles are counterclockwise and cover the source triangle, and that twins are consistent. */
function assertValid(triangulation: ConstrainedDelaunay): void {
  const { originOf, twinOf, xy } = triangulation;
  let area = 0;
  for (let h = 0; h < originOf.length; h += 3) {
    const [a = 0, b = 0, c = 0] = originOf.slice(h, h + 3);
    orient2dSign(xy, a, b, c).should.equal(1);
    const [ax = 0, ay = 0, bx = 0, by = 0, cx = 0, cy = 0] = [a, b, c].flatMap((p) => xy.slice(p * 2, p * 2 + 2));
    area += ((bx - ax) * (cy - ay) - (by - ay) * (cx - ax)) / 2;
  }
  area.should.be.approximately(0.5, 1e-12);
  twinOf.forEach((other, h) => {
    if (other < 0) return;
    (twinOf[other] ?? -1).should.equal(h);
    (originOf[other] ?? -1).should.equal(originOf[nextOf(h)]);
  });
}

function randomPoints(count: number, seed: number): number[] {
  const random = createRandom(seed);
  const points: number[] = [];
  while (points.length < count * 2) {
    const [x, y] = [random(), random()];
    if (x > 0 && y > 0 && x + y < 1) points.push(x, y);
  }
  return points;
}

describe('ConstrainedDelaunay', () => {
  it('splits each side at its points in order', () => {
    const triangulation = new ConstrainedDelaunay([...CORNERS, 0.25, 0, 0.5, 0, 0.6, 0.4, 0, 0.75, 0, 0.1]);
    triangulation.splitSide(0, [3, 4]);
    triangulation.splitSide(1, [5]);
    triangulation.splitSide(2, [6, 7]);
    assertValid(triangulation);
    const boundary = triangulation.originOf.filter((_, h) => (triangulation.twinOf[h] ?? 0) < 0);
    boundary.toSorted((a, b) => a - b).should.deepEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    for (const [a, b] of [
      [0, 3],
      [3, 4],
      [4, 1],
      [1, 5],
      [5, 2],
      [2, 6],
      [6, 7],
      [7, 0],
    ] as const)
      (triangulation.find(a, b) === undefined).should.be.false();
  });

  it('creates no triangle of three points on one side, although rounding has moved them off it', () => {
    const parameters = Array.from({ length: 40 }, (_, i) => (i + 1) / 41.3);
    const triangulation = new ConstrainedDelaunay([...CORNERS, ...parameters.flatMap((t) => [1 - t, t])]);
    triangulation.splitSide(
      1,
      parameters.map((_, i) => i + 3),
    );
    triangulation.legalize([...triangulation.originOf.keys()]);
    for (let h = 0; h < triangulation.originOf.length; h += 3)
      triangulation.originOf.slice(h, h + 3).should.containEql(0);
  });

  it('inserts points in the interior and on edges and stays valid', () => {
    const triangulation = new ConstrainedDelaunay([...CORNERS, 0.25, 0.25, 0.125, 0.125, ...randomPoints(300, 3)]);
    for (let point = 3; point < 305; point++) triangulation.insert(point).should.be.true();
    assertValid(triangulation);
    triangulation.originOf.length.should.equal((1 + 2 * 302) * 3);
  });

  it('rejects a duplicate point, a point on the boundary and a point outside', () => {
    const triangulation = new ConstrainedDelaunay([...CORNERS, 0.3, 0.2, 0.3, 0.2, 0.5, 0, 2, 2]);
    triangulation.insert(3).should.be.true();
    [4, 5, 6].map((point) => triangulation.insert(point)).should.deepEqual([false, false, false]);
    assertValid(triangulation);
  });
});

describe('insertConstraint', () => {
  it('inserts edges across others and keeps them', () => {
    const random = createRandom(11);
    for (let round = 0; round < 40; round++) {
      const triangulation = new ConstrainedDelaunay([...CORNERS, ...randomPoints(60, round + 1)]);
      for (let point = 3; point < 63; point++) triangulation.insert(point);
      // Edges that share an end do not cross each other.
      const center = 3 + Math.floor(random() * 60);
      const ends = Array.from({ length: 12 }, () => 3 + Math.floor(random() * 60)).filter((end) => end !== center);
      for (const end of ends) insertConstraint(triangulation, center, end).should.be.true();
      assertValid(triangulation);
      for (const end of ends) (triangulation.find(center, end) === undefined).should.be.false();
    }
  });

  const CROSS = [0.1, 0.1, 0.5, 0.1, 0.3, 0.05, 0.3, 0.2];

  it('rejects an edge across a constrained edge', () => {
    const triangulation = new ConstrainedDelaunay([...CORNERS, ...CROSS]);
    for (let point = 3; point < 7; point++) triangulation.insert(point);
    insertConstraint(triangulation, 3, 4).should.be.true();
    insertConstraint(triangulation, 5, 6).should.be.false();
    assertValid(triangulation);
  });

  it('rejects an edge through a point', () => {
    const triangulation = new ConstrainedDelaunay([...CORNERS, ...CROSS, 0.3, 0.1]);
    for (let point = 3; point < 8; point++) triangulation.insert(point);
    insertConstraint(triangulation, 5, 6).should.be.false();
    assertValid(triangulation);
  });
});
