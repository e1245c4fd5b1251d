import 'should';
import { STITCH } from '../../../src/mesh/repair/stitch.js';
import { makeCube } from '../models/cube.js';
import { createExtreme } from '../models/extremes.js';
import { joined, meshOf, turnedOver, without } from '../models/mesh-of.js';
import { createRandom } from '../models/random.js';
import { runStep } from './run-step.js';

/** A cube of 2 mm whose top has its own corners, raised by `offset`. */
function makeCrackedCube(offset: number) {
  const cube = makeCube();
  const top = [-1, -1, 1 + offset, 1, -1, 1 + offset, 1, 1, 1 + offset, -1, 1, 1 + offset];
  const triangles = cube.triangles.slice();
  triangles.set([8, 9, 10, 8, 10, 11], 6);
  return { positions: Float64Array.from([...cube.positions, ...top]), triangles };
}

/** A cube whose triangles have their own corners, off by up to `offset` along each axis. */
function makeSeparateTriangles(offset: number) {
  const { positions, triangles } = makeCube();
  const random = createRandom(1);
  return {
    positions: Float64Array.from(
      [...triangles].flatMap((vertex) => [...positions.subarray(vertex * 3, vertex * 3 + 3)]),
      (value) => value + (random() * 2 - 1) * offset,
    ),
    triangles: triangles.map((_, h) => h),
  };
}

describe('the step stitch', () => {
  it('leaves a closed mesh unchanged', () => {
    runStep(STITCH, makeCube()).should.containEql({ changed: 0, mesh: makeCube() });
  });

  it('merges boundary vertices closer than 1e-4 of the diagonal', () => {
    for (const offset of [1e-12, 1e-6, 1e-4]) {
      const { analysis, changed, maxDisplacementMm } = runStep(STITCH, makeCrackedCube(offset));
      analysis.badEdges.should.equal(0);
      changed.should.equal(4);
      maxDisplacementMm.should.be.approximately(offset, 1e-12);
    }
  });

  it('keeps the position that most triangles use', () => {
    runStep(STITCH, makeCrackedCube(1e-4)).analysis.dimensionZMm.should.equal(2);
  });

  it('leaves vertices unchanged that are farther apart', () => {
    runStep(STITCH, makeCrackedCube(1e-3)).changed.should.equal(0);
  });

  it('never merges the ends of a short edge', () => {
    const sliver = meshOf(
      [
        [0, 0, 0],
        [1e-5, 0, 0],
        [0, 1, 0],
      ],
      [[0, 1, 2]],
    );
    runStep(STITCH, sliver).should.containEql({ changed: 0 });
  });

  it('closes cracks of a mesh that has a much shorter edge elsewhere', () => {
    const cracked = makeCrackedCube(1e-4);
    const sliver = meshOf(
      [
        [0, 0, 0],
        [1e-9, 0, 0],
        [0, 1, 0],
      ],
      [[0, 1, 2]],
    );
    const { analysis, changed } = runStep(STITCH, joined(cracked, sliver));
    changed.should.equal(4);
    analysis.boundaryEdges.should.equal(3);
  });

  it('leaves a hole unchanged', () => {
    runStep(STITCH, without(makeCube(), 2)).changed.should.equal(0);
  });

  it('keeps one of triangles that nearly duplicate each other, and connects it to its neighbors', () => {
    const cracked = makeSeparateTriangles(2e-6);
    const [few, all] = [[1, 4, 6], [...new Array(12).keys()]].map((chosen) =>
      chosen.flatMap((t) => [t * 3, t * 3 + 1, t * 3 + 2]),
    );
    for (const corners of [few, all]) {
      for (const distance of [1e-8, 1e-6, 1e-5]) {
        const copies = {
          positions: cracked.positions.map((value, i) => value + (i % 2) * distance),
          triangles: Uint32Array.from(corners ?? []),
        };
        for (const near of [copies, turnedOver(copies), turnedOver(copies, 0)]) {
          const { mesh, analysis } = runStep(STITCH, joined(cracked, near));
          mesh.triangles.length.should.equal(36);
          analysis.boundaryEdges.should.equal(0);
          analysis.nonManifoldEdges.should.equal(0);
        }
      }
    }
  });

  it('drops open copies of a part of a closed surface, in either winding', () => {
    for (const distance of [0, 1e-8, 1e-4]) {
      for (const copy of [without(makeCube(), 0, 1), turnedOver(without(makeCube(), 0, 1)), without(makeCube(), 0)]) {
        const near = { ...copy, positions: copy.positions.map((value, i) => value + (i % 2) * distance) };
        const { mesh, changed } = runStep(STITCH, joined(near, makeCube()));
        changed.should.equal(near.triangles.length / 3);
        mesh.triangles.length.should.equal(36);
        near.triangles.length.should.be.below(36);
      }
    }
  });

  it('keeps an open surface if one of its triangles is on no other', () => {
    const fin = meshOf(
      [
        [-1, -1, 1],
        [1, -1, 1],
        [1, 1, 1],
        [0, 0, 3],
      ],
      [
        [0, 1, 2],
        [0, 2, 3],
      ],
    );
    runStep(STITCH, joined(makeCube(), fin)).changed.should.equal(0);
  });

  it('keeps both sides of a wall with a hole that is thinner than near', () => {
    const plate = { ...makeCube(), positions: makeCube().positions.map((v, i) => (i % 3 === 2 ? v * 1e-5 : v)) };
    runStep(STITCH, without(plate, 2)).changed.should.equal(0);
  });

  it('merges thousands of vertices that are close in a row, but not the ends of an edge', () => {
    const { changed, mesh } = runStep(STITCH, createExtreme('one edge', 20_000));
    changed.should.be.above(19_000);
    mesh.triangles.length.should.be.above(0);
  });
});
