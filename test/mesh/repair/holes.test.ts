import 'should';
import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { HOLES } from '../../../src/mesh/repair/holes.js';
import { makeCube } from '../models/cube.js';
import { joined, meshOf, placed, turnedOver, without } from '../models/mesh-of.js';
import { makeTorus } from '../models/torus.js';
import { rotated } from '../models/transform.js';
import { runStep } from './run-step.js';

/**
 * A cube, open at the top, with an additional triangle at the upper edge of one side. Sides count counter-clockwise
 * from the front.
 */
function withFin(side: number, tip: readonly number[]): IndexedMesh {
  const { positions, triangles } = without(makeCube(), 2, 3);
  const fin = [4 + side, 4 + ((side + 1) % 4), 8];
  return { positions: Float64Array.from([...positions, ...tip]), triangles: Uint32Array.from([...triangles, ...fin]) };
}

describe('the step holes', () => {
  it('leaves a closed mesh unchanged', () => {
    runStep(HOLES, makeCube()).should.containEql({ changed: 0, mesh: makeCube() });
  });

  it('fills a hole of three edges with one triangle', () => {
    const { analysis, changed, filledAreaMm2 } = runStep(HOLES, without(makeCube(), 2));
    changed.should.equal(1);
    analysis.triangles.should.equal(12);
    analysis.volumeMm3.should.be.approximately(8, 1e-12);
    filledAreaMm2.should.be.approximately(2, 1e-12);
  });

  it('fills a hole around a corner with minimum area', () => {
    const { analysis } = runStep(HOLES, without(makeCube(), 2, 3, 5)); // the top, and half of the front below it
    analysis.badEdges.should.equal(0);
    analysis.surfaceAreaMm2.should.be.approximately(24, 1e-12);
  });

  it('drops a flap at the boundary of a hole together with the triangle that covers it', () => {
    // A cube without its top, except for one inverted triangle.
    const flap = turnedOver(without(makeCube(), 3), 2);
    const { analysis } = runStep(HOLES, flap);
    analysis.should.match({ badEdges: 0, boundaryEdges: 0, triangles: 12 });
    analysis.volumeMm3.should.be.approximately(8, 1e-9);
  });

  it('keeps a triangle that is attached to the boundary of a hole by one edge', () => {
    const { analysis } = runStep(HOLES, withFin(0, [0, -1.5, 3]));
    analysis.should.match({ badEdges: 0, triangles: 14, dimensionZMm: 4 });
  });

  it('keeps such a triangle if it is nearly coplanar with the hole', () => {
    const tips = [
      [0, -1.5],
      [1.5, 0],
      [0, 1.5],
      [-1.5, 0],
    ];
    tips.forEach((tip, side) => {
      const { analysis } = runStep(HOLES, withFin(side, [...tip, 1.001]));
      analysis.should.match({ badEdges: 0, triangles: 14 });
      (analysis.dimensionXMm + analysis.dimensionYMm).should.equal(4.5);
    });
  });

  it('closes two triangles at an angle to a tetrahedron', () => {
    const bent = meshOf(
      [
        [0, 0, 0],
        [1, 0, 0],
        [1, 1, 1],
        [0, 1, 0],
      ],
      [
        [0, 1, 2],
        [0, 2, 3],
      ],
    );
    const { analysis } = runStep(HOLES, bent);
    analysis.should.match({ badEdges: 0, triangles: 4 });
    Math.abs(analysis.volumeMm3).should.be.approximately(1 / 6, 1e-12);
  });

  it('fills three holes of a torus', () => {
    const { analysis, changed } = runStep(HOLES, without(makeTorus(), 0, 100, 101, 500));
    changed.should.equal(3);
    analysis.badEdges.should.equal(0);
  });

  it('fills two holes that touch at a vertex separately', () => {
    const { analysis, changed } = runStep(HOLES, without(makeCube(), 0, 10)); // they touch at vertex 0
    changed.should.equal(2);
    analysis.badEdges.should.equal(0);
    analysis.volumeMm3.should.be.approximately(8, 1e-12);
  });

  it('uses every vertex of a straight boundary', () => {
    // A box, open at the top. The boundary has four additional points each in front and at the back.
    const steps = Array.from({ length: 6 }, (_, i) => -1 + i * 0.4);
    const bottom = [
      [-1, -1, -1],
      [1, -1, -1],
      [1, 1, -1],
      [-1, 1, -1],
    ];
    const front = steps.map((x) => [x, -1, 1]); // vertices 4 to 9
    const back = steps.map((x) => [-x, 1, 1]); // vertices 10 to 15
    const fan = (apex: number, from: number) => [0, 1, 2, 3, 4].map((i) => [apex, from + i + 1, from + i]);
    const open = meshOf(
      [...bottom, ...front, ...back],
      [
        [0, 2, 1],
        [0, 3, 2],
        [0, 1, 9],
        ...fan(0, 4),
        [2, 3, 15],
        ...fan(2, 10),
        [1, 2, 10],
        [1, 10, 9],
        [3, 0, 4],
        [3, 4, 15],
      ],
    );
    for (const mesh of [open, rotated(open)]) {
      const { analysis, changed } = runStep(HOLES, mesh);
      changed.should.equal(1);
      analysis.badEdges.should.equal(0);
      analysis.degenerateTriangles.should.equal(0);
      analysis.volumeMm3.should.be.approximately(8, 1e-9);
    }
  });

  /** A ring of points around the z axis. */
  const ring = (radius: number, z: number, count: number) =>
    Array.from({ length: count }, (_, i) => {
      const angle = (2 * Math.PI * i) / count;
      return [radius * Math.cos(angle), radius * Math.sin(angle), z];
    });
  const wall = (lower: number, upper: number, count: number) =>
    Array.from({ length: count }, (_, i) => (i + 1) % count).flatMap((next, i) => [
      [lower + i, lower + next, upper + next],
      [lower + i, upper + next, upper + i],
    ]);
  /** A tube from z = 0 to 10 with an outer and an inner wall, open at both ends. */
  const openTube = (count: number) =>
    meshOf(
      [...ring(3, 0, count), ...ring(3, 10, count), ...ring(2, 0, count), ...ring(2, 10, count)],
      [...wall(0, count, count), ...wall(2 * count, 3 * count, count).map(([a = 0, b = 0, c = 0]) => [a, c, b])],
    );

  for (const count of [8, 300]) {
    it(`closes the ends of a tube of ${count} sides by annuli, not by discs`, () => {
      for (const tube of [openTube(count), rotated(openTube(count))]) {
        const { analysis, changed } = runStep(HOLES, tube);
        changed.should.equal(4);
        analysis.badEdges.should.equal(0);
        analysis.shells.should.equal(1);
        const section = (count / 2) * Math.sin((2 * Math.PI) / count) * (9 - 4);
        analysis.volumeMm3.should.be.approximately(section * 10, 1e-9);
      }
    });
  }

  it('fills a hole of 1000 edges that is not planar', () => {
    const count = 1000;
    const wavyRing = ring(5, 10, count).map(([x = 0, y = 0, z = 0], i) => [
      x,
      y,
      z + Math.sin((i / count) * 12 * Math.PI),
    ]);
    const cup = meshOf([...ring(5, 0, count), ...wavyRing], wall(0, count, count));
    const { analysis } = runStep(HOLES, cup);
    analysis.badEdges.should.equal(0);
    analysis.volumeMm3.should.be.approximately(25 * Math.PI * 10, 25 * Math.PI);
  });

  it('fills the holes of two bodies that touch along an edge', () => {
    const two = joined(without(makeCube(), 2), placed(without(makeCube(), 0), [2, 2, 0]));
    runStep(HOLES, two).analysis.boundaryEdges.should.equal(0);
  });
});
