import 'should';
import { orient2dSign } from '../../../src/mesh/geometry/predicates.js';
import { nextOf } from '../../../src/mesh/topology/half-edge.js';
import { ConstrainedDelaunay } from '../../../src/mesh/triangulation/constrained-delaunay.js';
import { insertConstraint } from '../../../src/mesh/triangulation/insert-constraint.js';
import { createRandom } from '../models/random.js';

const CORNERS = [0, 0, 1, 0, 0, 1];

/** Asserts that no triangle is turned over, that all together cover the whole, and that neighbours know each other. */
const checkSound = (plane: ConstrainedDelaunay) => {
  const { originOf, twinOf, xy } = plane;
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
};

const randomPoints = (count: number, seed: number): number[] => {
  const random = createRandom(seed);
  const points: number[] = [];
  while (points.length < count * 2) {
    const [x, y] = [random(), random()];
    if (x > 0 && y > 0 && x + y < 1) points.push(x, y);
  }
  return points;
};

describe('PlaneTriangulation', () => {
  it('splits each side at its points, in order', () => {
    const plane = new ConstrainedDelaunay([...CORNERS, 0.25, 0, 0.5, 0, 0.6, 0.4, 0, 0.75, 0, 0.1]);
    plane.splitSide(0, [3, 4]);
    plane.splitSide(1, [5]);
    plane.splitSide(2, [6, 7]);
    checkSound(plane);
    const border = plane.originOf.filter((_, h) => (plane.twinOf[h] ?? 0) < 0);
    border.toSorted((a, b) => a - b).should.deepEqual([0, 1, 2, 3, 4, 5, 6, 7]);
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
      (plane.find(a, b) === undefined).should.be.false();
  });

  it('never makes a triangle of three points of one side, though rounding has moved them off it', () => {
    const shares = Array.from({ length: 40 }, (_, i) => (i + 1) / 41.3);
    const plane = new ConstrainedDelaunay([...CORNERS, ...shares.flatMap((s) => [1 - s, s])]);
    plane.splitSide(
      1,
      shares.map((_, i) => i + 3),
    );
    plane.legalize([...plane.originOf.keys()]);
    for (let h = 0; h < plane.originOf.length; h += 3) plane.originOf.slice(h, h + 3).should.containEql(0);
  });

  it('takes points inside and on edges, and stays sound', () => {
    const plane = new ConstrainedDelaunay([...CORNERS, 0.25, 0.25, 0.125, 0.125, ...randomPoints(300, 3)]);
    for (let point = 3; point < 305; point++) plane.insert(point).should.be.true();
    checkSound(plane);
    plane.originOf.length.should.equal((1 + 2 * 302) * 3);
  });

  it('refuses a point where one is, one on the border, and one outside', () => {
    const plane = new ConstrainedDelaunay([...CORNERS, 0.3, 0.2, 0.3, 0.2, 0.5, 0, 2, 2]);
    plane.insert(3).should.be.true();
    [4, 5, 6].map((point) => plane.insert(point)).should.deepEqual([false, false, false]);
    checkSound(plane);
  });
});

describe('insertEdge', () => {
  it('makes edges through whatever lies across, and keeps them', () => {
    const random = createRandom(11);
    for (let round = 0; round < 40; round++) {
      const plane = new ConstrainedDelaunay([...CORNERS, ...randomPoints(60, round + 1)]);
      for (let point = 3; point < 63; point++) plane.insert(point);
      // A star of edges from one point crosses itself nowhere else.
      const middle = 3 + Math.floor(random() * 60);
      const ends = Array.from({ length: 12 }, () => 3 + Math.floor(random() * 60)).filter((end) => end !== middle);
      for (const end of ends) insertConstraint(plane, middle, end).should.be.true();
      checkSound(plane);
      for (const end of ends) (plane.find(middle, end) === undefined).should.be.false();
    }
  });

  const CROSS = [0.1, 0.1, 0.5, 0.1, 0.3, 0.05, 0.3, 0.2];

  it('refuses an edge across a fixed one', () => {
    const plane = new ConstrainedDelaunay([...CORNERS, ...CROSS]);
    for (let point = 3; point < 7; point++) plane.insert(point);
    insertConstraint(plane, 3, 4).should.be.true();
    insertConstraint(plane, 5, 6).should.be.false();
    checkSound(plane);
  });

  it('refuses an edge through a point', () => {
    const plane = new ConstrainedDelaunay([...CORNERS, ...CROSS, 0.3, 0.1]);
    for (let point = 3; point < 8; point++) plane.insert(point);
    insertConstraint(plane, 5, 6).should.be.false();
    checkSound(plane);
  });
});
