import 'should';
import { FLIP_DEGENERATE } from '../../../src/mesh/repair/repair-steps.js';
import { makeCube } from '../models/cube.js';
import { meshOf } from '../models/mesh-of.js';
import { runStep } from './run-step.js';

describe('the step degenerate-triangles', () => {
  it('leaves a mesh without degenerate triangles unchanged', () => {
    runStep(FLIP_DEGENERATE, makeCube()).should.containEql({ changed: 0, mesh: makeCube() });
  });

  it('flips the longest side of a degenerate triangle and preserves the volume', () => {
    // A tetrahedron. On one side its edge 0 1 has a vertex 4 in the middle; the degenerate triangle 0 1 4 is between
    // the sides.
    const tetrahedron = meshOf(
      [
        [0, 0, 0],
        [2, 0, 0],
        [0, 2, 0],
        [0, 0, 2],
        [1, 0, 0],
      ],
      [
        [0, 4, 3],
        [4, 1, 3],
        [0, 2, 1],
        [0, 3, 2],
        [1, 2, 3],
        [0, 1, 4],
      ],
    );
    const { analysis, changed } = runStep(FLIP_DEGENERATE, tetrahedron);
    changed.should.equal(1);
    analysis.degenerateTriangles.should.equal(0);
    analysis.badEdges.should.equal(0);
    analysis.volumeMm3.should.be.approximately(8 / 6, 1e-12);
  });

  it('flips two adjacent degenerate triangles in turn', () => {
    const tetrahedron = meshOf(
      [
        [0, 0, 0],
        [3, 0, 0],
        [0, 2, 0],
        [0, 0, 2],
        [1, 0, 0],
        [2, 0, 0],
      ],
      [
        [0, 4, 3],
        [4, 5, 3],
        [5, 1, 3],
        [0, 2, 1],
        [0, 3, 2],
        [1, 2, 3],
        [0, 1, 5],
        [0, 5, 4],
      ],
    );
    const { analysis, changed } = runStep(FLIP_DEGENERATE, tetrahedron);
    changed.should.equal(2);
    analysis.degenerateTriangles.should.equal(0);
    analysis.badEdges.should.equal(0);
  });

  it('leaves a degenerate triangle with boundary edges unchanged', () => {
    runStep(
      FLIP_DEGENERATE,
      meshOf(
        [
          [0, 0, 0],
          [1, 0, 0],
          [2, 0, 0],
        ],
        [[0, 1, 2]],
      ),
    ).changed.should.equal(0);
  });
});
