import 'should';
import { CLEAN } from '../../../src/mesh/repair/clean.js';
import { makeCube } from '../models/cube.js';
import { joined, meshOf, without } from '../models/mesh-of.js';
import { makeVoxels } from '../models/voxels.js';
import { runStep } from './run-step.js';

const SQUARE = [
  [0, 0, 0],
  [1, 0, 0],
  [1, 1, 0],
  [0, 1, 0],
];

describe('the step clean', () => {
  it('leaves a clean mesh unchanged', () => {
    const { mesh, changed } = runStep(CLEAN, makeCube());
    changed.should.equal(0);
    mesh.should.deepEqual(makeCube());
  });

  it('welds equal vertices', () => {
    const { mesh } = runStep(
      CLEAN,
      meshOf(
        [...SQUARE, [1, 0, 0]],
        [
          [0, 4, 2],
          [0, 2, 3],
        ],
      ),
    );
    mesh.positions.length.should.equal(12);
  });

  it('drops triangles with two corners of equal index or position', () => {
    const { mesh, changed } = runStep(
      CLEAN,
      meshOf(
        [...SQUARE, [0, 0, 0]],
        [
          [0, 1, 1],
          [0, 1, 4],
          [0, 1, 2],
        ],
      ),
    );
    [...mesh.triangles].should.deepEqual([0, 1, 2]);
    changed.should.equal(3); // one vertex welded, two triangles dropped
  });

  it('drops triangles with a corner that is not finite', () => {
    const { mesh } = runStep(
      CLEAN,
      meshOf(
        [...SQUARE, [Number.NaN, 0, 0], [0, Infinity, 0]],
        [
          [0, 1, 2],
          [0, 1, 4],
          [5, 2, 3],
        ],
      ),
    );
    [...mesh.triangles].should.deepEqual([0, 1, 2]);
  });

  it('keeps both copies of a triangle of overlapping bodies, and drops the wall between adjacent bodies', () => {
    const cells = (...cellPositions: number[][]) => joined(...cellPositions.map((cell) => makeVoxels([cell])));
    const overlapping = joined(
      makeVoxels([
        [0, 0, 0],
        [1, 0, 0],
      ]),
      makeVoxels([
        [0, 0, 0],
        [0, 0, 1],
      ]),
    );
    const kept = runStep(CLEAN, overlapping).mesh;
    kept.triangles.length.should.equal(overlapping.triangles.length);
    runStep(CLEAN, cells([0, 0, 0], [1, 0, 0])).mesh.triangles.length.should.equal(2 * 36 - 4 * 3);
  });

  it('keeps one of three duplicates with the same winding', () => {
    const { mesh } = runStep(
      CLEAN,
      meshOf(SQUARE, [
        [0, 1, 2],
        [1, 2, 0],
        [2, 0, 1],
        [0, 2, 3],
      ]),
    );
    [...mesh.triangles].should.deepEqual([0, 1, 2, 0, 2, 3]);
  });

  it('drops both triangles of a back-to-back pair inside a body', () => {
    const cube = makeCube();
    const flap = { ...cube, triangles: Uint32Array.from([...cube.triangles, 0, 1, 6, 0, 6, 1]) };
    runStep(CLEAN, flap).mesh.should.deepEqual(cube);
  });

  it('keeps one triangle of each back-to-back pair of a body drawn from both sides', () => {
    const cube = makeCube();
    const twoSided = { ...cube, triangles: Uint32Array.from([...cube.triangles, ...cube.triangles.toReversed()]) };
    const { mesh, analysis } = runStep(CLEAN, twoSided);
    mesh.triangles.length.should.equal(36);
    analysis.volumeMm3.should.be.approximately(8, 1e-12);
  });

  it('does not fill holes', () => {
    runStep(CLEAN, without(makeCube(), 3)).analysis.boundaryEdges.should.equal(3);
  });

  it('returns an empty mesh if all triangles are degenerate', () => {
    runStep(CLEAN, joined(meshOf([[0, 0, 0]], [[0, 0, 0]]))).mesh.triangles.length.should.equal(0);
  });
});
